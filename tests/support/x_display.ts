/** A real X server without a page, and one who paints on it. */
import { displaySocket } from "../../lib/live/programs/commands/spec.ts";
import { removeStaleDisplay, waitForDisplay } from "../../lib/display/display.ts";
import { readCookie, XConnection } from "../../lib/display/x11/connection.ts";
import type { Rectangle } from "../../lib/display/x11/extensions.ts";
import { pair, request } from "../../lib/display/x11/messages.ts";
import { reserveSlot } from "./slot.ts";

export interface Display extends AsyncDisposable {
  display: number;
  socket: string;
  /** Its Xauthority file. */
  key: string;
  /** Of its own, for whatever else a test makes. */
  folder: string;
  pid: number;
  /** Ends it at once. */
  kill(): Promise<void>;
}

/** @param more arguments of Xvnc. */
export async function startDisplay(
  { width, height }: { width: number; height: number },
  xauthority: Uint8Array,
  more: string[] = [],
): Promise<Display> {
  const slot = reserveSlot();
  const display = Number(slot.env.DISPLAY_BASE) + 1;
  const folder = await Deno.makeTempDir({ prefix: "bs-display-" });
  const key = `${folder}/xauthority`;
  await Deno.writeFile(key, xauthority, { mode: 0o600 });
  const options = ["-geometry", `${width}x${height}`, "-depth", "24", "-auth", key, "-rfbport", "-1"];
  const vnc = ["-rfbunixpath", `${folder}/rfb`, "-SecurityTypes", "None", "-nolisten", "tcp", "-noreset"];
  const server = new Deno.Command("/usr/bin/Xvnc", {
    args: [`:${display}`, ...options, ...vnc, ...more],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const kill = async () => {
    try {
      server.kill("SIGKILL");
    } catch {
      // it has ended
    }
    await server.status;
  };
  await waitForDisplay(display);
  return {
    display,
    socket: displaySocket(display),
    key,
    folder,
    pid: server.pid,
    kill,
    async [Symbol.asyncDispose]() {
      await kill();
      await removeStaleDisplay(display);
      await Deno.remove(folder, { recursive: true });
      slot[Symbol.dispose]();
    },
  };
}

/** Paints a rectangle: it is there when this resolves. @param colour such as 0xff8000. */
export async function fillRectangle(
  { socket, key }: Pick<Display, "socket" | "key">,
  { x, y, width, height }: Rectangle,
  colour: number,
): Promise<void> {
  using connection = await XConnection.open(socket, await readCookie(key));
  const { root } = connection.screen;
  const [CREATE_GC, POLY_FILL_RECTANGLE] = [55, 70];
  const FOREGROUND = 1 << 2;
  const gc = connection.newId();
  connection.send(
    request(CREATE_GC, 0, [gc, root, FOREGROUND, colour]),
    request(POLY_FILL_RECTANGLE, 0, [root, gc, pair(x, y), pair(width, height)]),
  );
  await connection.done();
  connection[Symbol.dispose]();
  await connection.ended;
}
