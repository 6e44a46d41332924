/** The hub's socket for helpers: what they say is limited, and one who reads slowly is let go. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { browserAt, HubListener, isTakenOver } from "../../../lib/browser/hub_socket.ts";
import type { Peer } from "../../../lib/browser/hub.ts";
import type { Command } from "../../../lib/browser/messages.ts";
import { writeAll } from "../../../lib/machine/tools/write_all.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { tempDir } from "../../support/fixture.ts";
import { until } from "../../support/same.ts";

/** A hub whose peers' commands the test answers. */
async function aHub(answer: (command: Command, peer: Peer) => void = () => {}) {
  const dir = await tempDir();
  const path = join(dir.path, "ws");
  const peers: Peer[] = [];
  const commands: Command[] = [];
  const hub = { path, peers, commands, left: 0, problem: "", viewers: 0 };
  const listener = await HubListener.listen(path, 0o600, (peer) => {
    if (hub.problem) return Promise.reject(new Error(hub.problem));
    peers.push(peer);
    return Promise.resolve({
      send: (command) => {
        commands.push(command);
        answer(command, peer);
      },
      leave: () => hub.left++,
    });
  }, () => hub.viewers > 0);
  return Object.assign(hub, {
    [Symbol.asyncDispose]: async () => {
      await listener.stop();
      await dir[Symbol.asyncDispose]();
    },
  });
}

/** A client that speaks as it likes; the head of the answer has been read. */
async function aClient(path: string, head = ""): Promise<{ conn: Deno.UnixConn; head: string }> {
  const conn = await Deno.connect({ transport: "unix", path });
  const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  const asked = head ||
    `GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${key}\r\n`;
  await conn.write(new TextEncoder().encode(asked));
  return { conn, head: await readAll(conn, 1) };
}

async function readAll(conn: Deno.UnixConn, reads = Infinity): Promise<string> {
  let text = "";
  const bytes = new Uint8Array(65536);
  for (let count = 0; count < reads; count++) {
    const length = await conn.read(bytes).catch(() => null);
    if (length === null) break;
    text += Buffer.from(bytes.subarray(0, length)).toString("latin1");
  }
  return text;
}

/** A client's frame whose mask is zero. */
function frame(first: number, payload: Uint8Array | string, length = payload.length): Uint8Array {
  const bytes = typeof payload === "string" ? new TextEncoder().encode(payload) : payload;
  if (length < 126) return Uint8Array.from([first, 0x80 | length, 0, 0, 0, 0, ...bytes]);
  const head = new Uint8Array(14);
  head.set([first, 0x80 | 127]);
  new DataView(head.buffer).setBigUint64(2, BigInt(length));
  return Uint8Array.from([...head, ...bytes]);
}

Deno.test("hub socket: commands go to the hub, answers of any length come back, and its end is everybody's", async () => {
  const long = "ä".repeat(400_000);
  await using hub = await aHub(({ id, params }, peer) =>
    peer.receive({ id, result: { said: params!.said } })
  );
  const connection = await browserAt(hub.path).open();
  for (const said of ["", "x".repeat(120), "x".repeat(70_000), "🌍"]) {
    assert.deepEqual(await connection.send("Page.x", { said }), { said });
  }
  const answer = connection.send<{ text: string }>("Page.y", { said: "" });
  hub.peers[0].receive({ id: 6, result: { text: long } });
  assert.notEqual(await answer, null);
  hub.peers[0].end();
  await connection.ended;
  await assert.rejects(connection.send("Page.x"), /closed the connection/);
  await until("the peer to have left", () => hub.left === 1);
});

Deno.test("hub socket: helpers hear from the web app whether somebody is there; without it nobody is", async () => {
  const browser = await (async () => {
    await using hub = await aHub();
    const browser = browserAt(hub.path);
    assert.equal(await isTakenOver(browser), false);
    hub.viewers = 2;
    assert.equal(await isTakenOver(browser), true);
    assert.deepEqual(hub.commands, [], "the browser is not asked");
    return browser;
  })();
  assert.equal(await isTakenOver(browser), false);
});

Deno.test("hub socket: without a browser nobody is let in", async () => {
  await using hub = await aHub();
  hub.problem = "the browser does not run";
  await assert.rejects(browserAt(hub.path).open(), /cannot be reached/);
  assert.equal(hub.peers.length, 0);
});

for (
  const [what, request] of Object.entries({
    "another path":
      "GET /x HTTP/1.1\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    "no upgrade": "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "no key": "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n",
    "an endless head": `GET / HTTP/1.1\r\nX: ${"x".repeat(10_000)}`,
  })
) {
  Deno.test(`hub socket: ${what} is refused`, async () => {
    await using hub = await aHub();
    const { conn, head } = await aClient(hub.path, request);
    assert.equal(head, "");
    conn.close();
    assert.equal(hub.peers.length, 0);
  });
}

for (
  const [what, frames] of Object.entries({
    "a message that announces more than 256 KiB": [frame(0x81, "", 300_000)],
    "a message in pieces of more than 256 KiB": [
      frame(0x01, new Uint8Array(200_000).fill(32)),
      frame(0x80, new Uint8Array(200_000).fill(32)),
    ],
    "what is no command": [frame(0x81, "hello")],
    "a binary message": [frame(0x82, "{}")],
    "a frame without a mask": [Uint8Array.from([0x81, 0x00])],
    "a long ping": [frame(0x89, "x".repeat(200))],
    "a message that begins and never ends": [
      frame(0x01, "{"),
      ...Array.from({ length: 100 }, () => frame(0x00, "")),
    ],
  })
) {
  Deno.test(`hub socket: ${what} ends the connection`, async () => {
    await using hub = await aHub();
    const { conn, head } = await aClient(hub.path);
    assert.match(head, /^HTTP\/1\.1 101 /);
    for (const one of frames) await conn.write(one).catch(() => {});
    await readAll(conn);
    conn.close();
    assert.equal(hub.left, 1);
    assert.deepEqual(hub.commands, []);
  });
}

Deno.test("hub socket: a command in pieces, with a ping between them, is one", async () => {
  await using hub = await aHub();
  const { conn } = await aClient(hub.path);
  await conn.write(frame(0x01, '{"id":1,'));
  await conn.write(frame(0x89, "beat"));
  await conn.write(frame(0x80, '"method":"Page.enable"}'));
  assert.equal(await readAll(conn, 1), "\x8a\x04beat");
  await until("the command", () => hub.commands.length === 1);
  conn.close();
});

Deno.test("hub socket: who does not read is let go before much has piled up", async () => {
  await using hub = await aHub();
  const { conn } = await aClient(hub.path);
  const params = { text: "x".repeat(100_000) };
  for (let count = 0; count < 100; count++) hub.peers[0].receive({ method: "Page.x", params });
  await until("the peer to have left", () => hub.left === 1);
  conn.close();
});

Deno.test("hub socket: pings that are never read are let go, however short they are", async () => {
  await using hub = await aHub();
  const { conn } = await aClient(hub.path);
  const pings = Buffer.concat(Array.from({ length: 20_000 }, () => frame(0x89, "")));
  await conn.write(pings).catch(() => {});
  const flood = (async () => {
    while (hub.left === 0) await conn.write(pings);
  })().catch(() => {});
  await until("the peer to have left", () => hub.left === 1);
  await flood;
  conn.close();
});

Deno.test("hub socket: at most 16 are let in", async () => {
  await using hub = await aHub();
  const clients = await Promise.all(Array.from({ length: 20 }, () => aClient(hub.path).catch(() => null)));
  assert.equal(hub.peers.length, 16);
  for (const client of clients) client?.conn.close();
});

Deno.test("hub socket: all connections together get no more commands through than one", async () => {
  using clock = new FakeClock();
  await using hub = await aHub();
  const [CLIENTS, COMMANDS] = [16, 2000];
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => aClient(hub.path)));
  const flood = Buffer.concat(
    Array.from({ length: COMMANDS }, () => frame(0x81, '{"id":1,"method":""}')),
  );
  const written = Promise.all(clients.map(({ conn }) => writeAll(conn, flood)));
  let ms = 0;
  await until("all commands", async () => {
    await clock.advance(500);
    ms += 500;
    return hub.commands.length === CLIENTS * COMMANDS;
  });
  // half a kilobyte each, at 4 MiB a second
  assert.ok(ms >= 3000, `after ${ms} ms`);
  await written;
  for (const { conn } of clients) conn.close();
});

Deno.test("hub socket: who comes and goes without end is let in a few times a second", async () => {
  using clock = new FakeClock();
  await using hub = await aHub();
  await using other = await aHub();
  const comeAndGo = async (path: string) => (await aClient(path)).conn.close();
  for (let count = 0; count < 25; count++) await comeAndGo(hub.path);
  let more = 0;
  const coming = Promise.all(Array.from({ length: 10 }, () => comeAndGo(hub.path).then(() => more++)));
  for (let count = 0; count < 20; count++) await comeAndGo(other.path);
  assert.ok(more < 10, `${more} at once`);
  await until("the others", async () => {
    await clock.advance(100);
    return more === 10;
  });
  await coming;
});

Deno.test("hub socket: one that stops waits for nobody who is over the budget", async () => {
  using _clock = new FakeClock();
  const hub = await aHub();
  const { conn } = await aClient(hub.path);
  const flood = Buffer.concat(Array.from({ length: 20_000 }, () => frame(0x81, '{"id":1,"method":""}')));
  const writing = writeAll(conn, flood).catch(() => {});
  await until("the first commands", () => hub.commands.length > 500);
  await hub[Symbol.asyncDispose]();
  await writing;
  conn.close();
});
