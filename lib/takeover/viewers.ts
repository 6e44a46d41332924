/**
 * The way of VNC viewers from the front door to the web app: their bytes pass, but for messages that are too long, and no
 * faster than their frames may come. Deno takes every message at once, and makes some kB of an empty one.
 */
import { Budget, type BudgetLimits } from "../machine/tools/budget.ts";
import { closeAnyway } from "../machine/tools/close.ts";
import { removeTree } from "../machine/os/files.ts";
import { writeAll } from "../machine/tools/write_all.ts";
import { happensWithin, withTimeout } from "../machine/tools/time.ts";
import type { Timings } from "../timings.ts";
import { MAX_MESSAGE_BYTES, PassingFrames } from "../machine/websocket/passing_frames.ts";

/** Bytes of one read: of what a viewer sends, and of pictures. */
const [VIEWER_BYTES, PICTURE_BYTES] = [64 * 1024, 256 * 1024];

/**
 * A viewer's frames: noVNC sends 60 a second while the mouse moves, and two for a key that is typed, so that 10,000 letters
 * are over it for 16 s. A viewer who is for longer is cut off: the place is another's.
 */
const FRAMES: BudgetLimits = { perSecond: 1000, burst: 4000, overMs: 20_000 };

/** Bytes of a viewer that pass before their frames are paid for: an empty frame has six. */
const PAID_BYTES = 4096;

type RelayLimits = Pick<Timings["vnc"], "closeMs" | "goneMs">;

/**
 * Takes the front door's connections for WebSockets, and passes each on to the web app.
 * @param path in a folder for the front door's group. @param webSocket where the web app takes requests.
 */
export async function serveViewers(
  path: string,
  webSocket: string,
  limits: RelayLimits,
  frames = FRAMES,
): Promise<AsyncDisposable> {
  await removeTree(path); // of a web app that was killed
  const listener = Deno.listen({ transport: "unix", path });
  await Deno.chmod(path, 0o660);
  const relays = new Set<Promise<void>>();
  const accepting = (async () => {
    for await (const viewer of listener) {
      const relay = relayed(viewer, webSocket, limits, frames).finally(() => relays.delete(relay));
      relays.add(relay);
    }
  })();
  return {
    /** Lets nobody more in; resolves when the web app has ended the connections there are. */
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting.catch(() => {});
      await Promise.all(relays);
    },
  };
}

/** Passes bytes both ways until the web app ends the connection, or has waited for its end long enough. Never rejects. */
async function relayed(
  viewer: Deno.UnixConn,
  webSocket: string,
  limits: RelayLimits,
  frames: BudgetLimits,
): Promise<void> {
  const web = await Deno.connect({ transport: "unix", path: webSocket }).catch(() => null);
  if (!web) return closeAnyway(viewer); // the front door says 503
  const end = () => {
    closeAnyway(web);
    closeAnyway(viewer);
  };
  // Deno itself cannot end a connection whose viewer does not answer its close frame
  let farewell: ReturnType<typeof setTimeout> | undefined;
  const onPass = ({ isClosing }: PassingFrames) => {
    if (isClosing) farewell ??= setTimeout(end, limits.closeMs);
  };
  const upward = new PassingFrames(MAX_MESSAGE_BYTES);
  const fromViewer = pump(viewer, web, upward, limits, () => {}, new Budget(frames))
    .then(() => web.closeWrite()).catch(end);
  await pump(web, viewer, new PassingFrames(Infinity), limits, onPass).catch(() => {});
  clearTimeout(farewell);
  // unread bytes would make the kernel reset the connection, and the close frame be lost
  if (upward.isOver) await happensWithin(limits.closeMs, fromViewer);
  end();
  await fromViewer;
}

/**
 * Passes on all bytes, until the end. @param budget of frames: more are not read before the earlier ones are paid for.
 * @throws when one of the two is gone, takes nothing for too long, or is over its budget for too long.
 */
async function pump(
  from: Deno.Conn,
  to: Deno.Conn,
  frames: PassingFrames,
  { goneMs }: RelayLimits,
  onPass: (frames: PassingFrames) => void,
  budget?: Budget,
): Promise<void> {
  const buffer = new Uint8Array(budget ? VIEWER_BYTES : PICTURE_BYTES);
  const step = budget ? PAID_BYTES : buffer.length;
  for (let count = await from.read(buffer); count !== null; count = await from.read(buffer)) {
    for (let at = 0; at < count; at += step) {
      const before = frames.frames;
      const bytes = frames.pass(buffer.subarray(at, Math.min(at + step, count)));
      onPass(frames);
      await withTimeout(2 * goneMs, writeAll(to, bytes)); // the bridge has given it up by then
      await budget?.pay(frames.frames - before);
    }
  }
}
