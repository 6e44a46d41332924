/**
 * Records what Xvnc says to the capture program's client: tests/fixtures/x-server.json, which tests replay.
 *
 *     deno run -A tests/support/record_x_server.ts
 */
import { join } from "node:path";
import { Screen } from "../../lib/display/capture/screen.ts";
import { newXauthority } from "../../lib/display/xauth.ts";
import { writeAll } from "../../lib/machine/tools/write_all.ts";
import { readCookie } from "../../lib/display/x11/connection.ts";
import { attachFile } from "../../lib/display/x11/descriptor.ts";
import { padded } from "../../lib/display/x11/messages.ts";
import { root } from "./fixture.ts";
import { fillRectangle, startDisplay } from "./x_display.ts";
import { splitServer } from "./x_server.ts";

await using display = await startDisplay({ width: 640, height: 360 }, newXauthority());
const path = `${display.folder}/recorded`;
const said: Record<"client" | "server", Uint8Array[]> = { client: [], server: [] };
const listener = Deno.listen({ transport: "unix", path });
const recording = (async () => {
  const client = await listener.accept();
  const server = await Deno.connect({ transport: "unix", path: display.socket });
  const pass = async (from: Deno.Conn, to: Deno.Conn, what: Uint8Array[]) => {
    const buffer = new Uint8Array(65_536);
    for (let read = await from.read(buffer); read !== null; read = await from.read(buffer)) {
      what.push(buffer.slice(0, read));
      await writeAll(to, buffer.subarray(0, read));
    }
  };
  const ends = [pass(client, server, said.client), pass(server, client, said.server)];
  await Promise.race(ends).catch(() => {});
  for (const one of [client, server]) {
    try {
      one.close();
    } catch {
      // it is
    }
  }
  await Promise.allSettled(ends);
})();

// a file cannot be passed on
const attach: typeof attachFile = (_path, ...rest) => attachFile(display.socket, ...rest);
const screen = await Screen.open(path, await readCookie(display.key), { width: 640, height: 360 }, attach);
await screen.readChanges();
const damaged = new Promise<void>((done) => screen.ondamage = done);
await fillRectangle(display, { x: 20, y: 100, width: 64, height: 30 }, 0x2060d0);
await damaged;
await screen.readChanges();
await screen.readChanges();
screen[Symbol.dispose]();
await recording;
listener.close();

const join_ = (parts: Uint8Array[]) => new Uint8Array(parts.flatMap((part) => [...part]));
const client = join_(said.client);
const hello = 12 + 20 + padded(16);
const requests: string[] = [];
for (let at = hello; at < client.length;) {
  const length = (client[at + 2] | client[at + 3] << 8) * 4;
  requests.push(client.subarray(at, at + length).toHex());
  at += length;
}
const [greeting, ...messages] = splitServer(join_(said.server)).map((part) => part.toHex());
const text = JSON.stringify({ greeting, requests, messages }, null, 2);
await Deno.writeTextFile(join(root, "tests/fixtures/x-server.json"), `${text}\n`);
