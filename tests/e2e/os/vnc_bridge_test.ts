import { strict as assert } from "node:assert";
import { streamId } from "../../../lib/model/id.ts";
import type { BridgeLimits } from "../../../lib/takeover/bridge.ts";
import type { TypeText } from "../../../lib/takeover/gateway.ts";
import { proxyOfRun } from "../../../lib/takeover/proxy.ts";
import { DEFAULT_TIMINGS } from "../../../lib/timings.ts";
import { closePayload, encodeFrame, OPCODE } from "../../../lib/machine/websocket/frames.ts";
import { tempDir } from "../../support/fixture.ts";
import { needsRoot } from "../../support/needs_root.ts";
import { until } from "../../support/same.ts";
import { reserveSlot } from "../../support/slot.ts";
import { tellTime } from "../../support/times.ts";
import { pause } from "../../support/within.ts";
import { connectionEnds, RawProxy, rawView, serveGateway, view } from "../../support/raw.ts";

/** A server's frame. */
function frame(opcode: number, payload: Uint8Array): Uint8Array {
  return encodeFrame(opcode, payload, null);
}

function closed(socket: WebSocket): Promise<{ code: number; reason: string }> {
  return new Promise((done) => socket.onclose = ({ code, reason }) => done({ code, reason }));
}

async function writeAll(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await conn.write(bytes.subarray(at));
}

/** Reads what is there until the end of the stream; an error is an end. */
async function readAll(conn: Deno.Conn): Promise<Uint8Array> {
  const all = new Uint8Array(64e6);
  for (let length = 0;;) {
    const count = await conn.read(all.subarray(length)).catch(() => null);
    if (count === null) return all.subarray(0, length);
    length += count;
  }
}

/** The close code in a client's bytes that end with a close frame without a reason, or with `length` bytes of one. */
function closeCode(bytes: Uint8Array, length: number): number {
  const start = bytes.length - 2 - length;
  const mask = bytes.subarray(start - 4, start);
  return (bytes[start] ^ mask[0]) << 8 | (bytes[start + 1] ^ mask[1]);
}

/** The proxy of these tests never says goodbye. */
const farewellMs = 50;
/** A twentieth of what a real bridge waits. */
const SHORT_LIMITS = { checkMs: 100, pauseMs: 200, goneMs: 1200, closeMs: 150, farewellMs };

async function withBridge(
  body: (parts: { proxy: RawProxy; web: ReturnType<typeof serveGateway> }) => Promise<void>,
  limits: Partial<BridgeLimits> = { farewellMs },
  type?: TypeText,
): Promise<void> {
  using proxy = new RawProxy();
  const web = serveGateway(proxy.port, limits, type);
  try {
    await body({ proxy, web });
  } finally {
    await web.stop();
  }
  assert.equal(web.gateway.bridges.viewers(streamId("a")), 0);
}

Deno.test("bytes go both ways, pings are answered, and the token stands in the host alone", () =>
  withBridge(async ({ proxy, web }) => {
    const socket = view(web.origin, ["base64", "binary"]);
    const got: number[] = [];
    socket.onmessage = ({ data }) => got.push(...new Uint8Array(data));
    socket.onopen = () => socket.send(new Uint8Array([7, 8, 9])); // before the proxy is there
    const { conn, head } = await proxy.accept();
    assert.match(head, /^GET \/ HTTP\/1\.1\r\n/);
    assert.match(head, /\r\nHost: 0123456789abcdef0123456789abcdef\r\n/);
    const input = new Uint8Array(64);
    let count = 0;
    while (count < 9) count += (await conn.read(input.subarray(count)))!;
    assert.equal(count, 9);
    assert.deepEqual([...input.subarray(6, 9)].map((byte, at) => byte ^ input[2 + at]), [7, 8, 9]);
    assert.equal(socket.protocol, "binary");
    assert.equal(web.gateway.bridges.viewers(streamId("a")), 1);
    assert.equal(web.gateway.bridges.viewers(streamId("b")), 0);

    const long = new Uint8Array(70_000).map((_, at) => at & 255);
    await writeAll(conn, frame(OPCODE.binary, long));
    await writeAll(conn, frame(OPCODE.ping, new Uint8Array([1, 2])));
    await until("the data", () => got.length === long.length);
    assert.deepEqual(new Uint8Array(got), long);
    const pong = new Uint8Array(8);
    assert.equal(await conn.read(pong), 8);
    assert.equal(pong[0], 0x80 | OPCODE.pong);
    const end = closed(socket);
    socket.close(4001, "enough");
    const rest = await readAll(conn);
    assert.equal(rest[0], 0x80 | OPCODE.close);
    assert.equal(closeCode(rest, 6), 4001);
    conn.close();
    await end;
  }));

Deno.test("a takeover is told when it begins and when it ends, and not one that never began", async () => {
  using slot = reserveSlot();
  const none = serveGateway(slot.ports[0], { farewellMs });
  await closed(view(none.origin));
  await none.stop();
  assert.deepEqual(none.takeovers, []);
  await withBridge(async ({ proxy, web }) => {
    const socket = view(web.origin);
    const { conn } = await proxy.accept();
    await until("the begin", () => web.takeovers.length > 0);
    assert.deepEqual(web.takeovers, ["a: peer began"]);
    const end = closed(socket);
    socket.close();
    await readAll(conn);
    conn.close();
    await end;
    await until("the end", () => web.takeovers.length > 1);
    assert.deepEqual(web.takeovers, ["a: peer began", "a: peer ended"]);
  });
});

Deno.test("the proxy's close code reaches the browser; its sudden end is 1013", () =>
  withBridge(async ({ proxy, web }) => {
    for (
      const [code, reason] of [[1011, "Failed to connect"], [1000, "Target closed"], [4005, ""]] as const
    ) {
      const end = closed(view(web.origin));
      const { conn } = await proxy.accept();
      await writeAll(conn, frame(OPCODE.close, closePayload({ code, reason })));
      assert.deepEqual(await end, { code, reason });
    }
    const end = closed(view(web.origin));
    (await proxy.accept()).conn.close();
    assert.equal((await end).code, 1013);
    assert.match((await end).reason, /VNC proxy/);
  }));

Deno.test("no proxy, or one that answers wrongly: accepted, then 1013 with a reason", async () => {
  using slot = reserveSlot();
  const web = serveGateway(slot.ports[0]);
  const end = await closed(view(web.origin));
  assert.equal(end.code, 1013);
  assert.match(end.reason, /Try again/);
  await web.stop();
  const answers = [
    "",
    "HTTP/1.1 200 OK\r\n\r\n",
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n",
    "x".repeat(9000),
  ];
  await withBridge(async ({ proxy, web }) => {
    for (const answer of answers) {
      const end = closed(view(web.origin));
      const { conn } = await proxy.accept(() => answer);
      if (answer === "") conn.close();
      assert.equal((await end).code, 1013, answer.slice(0, 80));
    }
  });
});

Deno.test("a port where nobody of ours listens any more sees no token", async () => {
  using proxy = new RawProxy();
  let isOurs = false;
  const web = serveGateway({ port: proxy.port, isOurs: () => Promise.resolve(isOurs) }, { farewellMs });
  assert.equal((await closed(view(web.origin))).code, 1013);
  isOurs = true;
  const end = closed(view(web.origin));
  // the first that comes there
  const { conn } = await proxy.accept();
  await writeAll(conn, frame(OPCODE.close, closePayload({ code: 4005, reason: "" })));
  assert.equal((await end).code, 4005);
  await web.stop();
});

Deno.test("the proxy's port is ours while the run directory's owner listens there", async () => {
  using slot = reserveSlot();
  await using run = await tempDir();
  using proxy = new RawProxy();
  const look = (port: number) => proxyOfRun(port, run.path).isOurs();
  assert.deepEqual([await look(proxy.port), await look(slot.ports[0])], [true, false]);
});

needsRoot("the proxy's port is not ours where another user has the run directory", async () => {
  await using run = await tempDir();
  using proxy = new RawProxy();
  await Deno.chown(run.path, 65_534, 65_534);
  assert.equal(await proxyOfRun(proxy.port, run.path).isOurs(), false);
});

Deno.test("what breaks the protocol ends with 1011, text of a viewer with 1003", () =>
  withBridge(async ({ proxy, web }) => {
    const broken = closed(view(web.origin));
    await writeAll((await proxy.accept()).conn, new Uint8Array([0xff, 0xff]));
    assert.equal((await broken).code, 1011);
    const socket = view(web.origin);
    const end = closed(socket);
    await proxy.accept();
    socket.send("text");
    assert.equal((await end).code, 1003);
  }));

Deno.test("text is typed in order with the keys, in pieces that lose nothing; one too long is turned away", async () => {
  const typed: string[] = [];
  const type = (_id: string, text: string) => {
    typed.push(text);
    return Promise.resolve(true);
  };
  await withBridge(
    async ({ proxy, web }) => {
      const socket = view(web.origin);
      const { conn } = await proxy.accept();
      await until("the begin", () => web.takeovers.length > 0);
      const texts = ["я".repeat(3000), "ю".repeat(3000), "э".repeat(3000)];
      for (const text of texts) socket.send(text);
      socket.send(new Uint8Array([9]));
      socket.send("ß");
      const frame = new Uint8Array(64);
      assert.equal(await conn.read(frame), 7);
      assert.deepEqual(typed, texts, "all of it before the key");
      await until("the rest", () => typed.length > 3);
      assert.equal(typed[3], "ß");
      const end = closed(socket);
      socket.send("ж".repeat(4097));
      assert.equal((await end).code, 1009);
    },
    { farewellMs },
    type,
  );
});

Deno.test("a viewer that floods while the display takes nothing is turned away", () =>
  withBridge(async ({ proxy, web }) => {
    const socket = view(web.origin);
    const end = closed(socket);
    const { conn } = await proxy.accept();
    let sent = 0;
    while (sent < 64e6 && socket.readyState === WebSocket.OPEN) {
      socket.send(new Uint8Array(65536));
      sent += 65536;
      if (sent % 655360 === 0) await pause(10);
    }
    await end; // its code may be lost: the viewer writes to a closed connection before it reads
    await until("the end of the bridge", () => web.gateway.bridges.viewers(streamId("a")) === 0);
    const { length } = await readAll(conn);
    assert.ok(length < 16e6, `${length} bytes waited`);
    conn.close();
  }));

Deno.test("a viewer that reads nothing holds the display's side back, and is sent away", () =>
  withBridge(async ({ proxy, web }) => {
    const viewer = await rawView(web.port);
    const { conn } = await proxy.accept();
    assert.equal(connectionEnds(web.port, proxy.port), 4);
    let written = 0, isOver = false;
    const flood = (async () => {
      const bytes = frame(OPCODE.binary, new Uint8Array(65536));
      for (;;) {
        await writeAll(conn, bytes);
        written += bytes.length;
      }
    })().catch(() => isOver = true);
    let early = 0;
    // a flood that is read on is never still for so long
    await until("the buffers to be full", async () => {
      early = written;
      await pause(400);
      return written > 0 && written === early;
    });
    assert.ok(early < 24e6, `${early} bytes are under way`);
    await until("the end of the display's side", () => isOver);
    await flood;
    await until("the end of the bridge", () => web.gateway.bridges.viewers(streamId("a")) === 0);
    conn.close();
    viewer.close();
    await until("the sockets to go", () => connectionEnds(web.port, proxy.port) === 0);
  }, SHORT_LIMITS));

Deno.test("a peer that is gone without a word is found within 30 s", () => {
  const { goneMs, checkMs } = DEFAULT_TIMINGS.vnc;
  assert.ok(goneMs + 2 * checkMs < 30_000);
});

Deno.test("a proxy that is gone without a word is found", () =>
  withBridge(async ({ proxy, web }) => {
    const start = performance.now();
    const end = closed(view(web.origin));
    await proxy.accept(); // says nothing ever
    assert.equal((await end).code, 1013);
    const took = performance.now() - start;
    assert.ok(took >= SHORT_LIMITS.goneMs, `${took} ms`);
    tellTime("the end of a takeover whose proxy is gone", took / 1000, 3);
  }, SHORT_LIMITS));

Deno.test("a viewer that is gone without a word is found; a proxy that answers pings is not", () =>
  withBridge(async ({ proxy, web }) => {
    const silent = await rawView(web.port); // answers no ping
    const lost = await proxy.accept();
    const watching = view(web.origin);
    const kept = await proxy.accept();
    const answering = [lost, kept].map(async ({ conn }) => {
      const buffer = new Uint8Array(4096);
      while (await conn.read(buffer).catch(() => null)) {
        await writeAll(conn, frame(OPCODE.pong, new Uint8Array())).catch(() => {});
      }
      conn.close();
    });
    const start = performance.now();
    await until("the viewer to be found", () => web.gateway.bridges.viewers(streamId("a")) === 1);
    await pause(Math.max(0, 2 * SHORT_LIMITS.goneMs - (performance.now() - start)));
    assert.equal(watching.readyState, WebSocket.OPEN);
    silent.close();
    const end = closed(watching);
    watching.close();
    await Promise.all([end, ...answering]);
  }, SHORT_LIMITS));

Deno.test("the end of the service sends everybody away with 1001, at once", () =>
  withBridge(async ({ proxy, web }) => {
    const sockets = [1, 2, 3].map(() => view(web.origin));
    const ends = sockets.map(closed);
    const sides: Promise<void>[] = [];
    for (const _ of sockets) {
      const { conn } = await proxy.accept();
      sides.push(readAll(conn).then(() => conn.close()));
    }
    assert.equal(web.gateway.bridges.viewers(streamId("a")), 3);
    const start = performance.now();
    await web.gateway.stop();
    tellTime("the end of all takeovers", (performance.now() - start) / 1000, 1.5);
    assert.deepEqual((await Promise.all(ends)).map(({ code }) => code), [1001, 1001, 1001]);
    const late = await fetch(`${web.origin}/`);
    assert.equal(await late.text(), "the app");
    await Promise.all(sides);
  }));

Deno.test("a proxy that is stopped at the same moment is no reason to try again", () =>
  withBridge(async ({ proxy, web }) => {
    const end = closed(view(web.origin));
    (await proxy.accept()).conn.close();
    await pause(50);
    await web.gateway.stop();
    assert.equal((await end).code, 1001);
  }));

const CAPS: [what: string, limits: Partial<BridgeLimits>][] = [
  ["one stream", { maxOfStream: 2 }],
  ["one address", { maxOfPeer: 2 }],
  ["all", { maxInAll: 2 }],
];

for (const [what, limits] of CAPS) {
  Deno.test(`no more viewers of ${what} are let in than allowed; one that leaves makes room`, () =>
    withBridge(async ({ proxy, web }) => {
      const sockets: WebSocket[] = [];
      const enter = async () => {
        const socket = view(web.origin);
        const opened = new Promise<boolean>((done) => {
          socket.onopen = () => done(true);
          socket.onerror = () => done(false);
        });
        if (!await opened) return false;
        sockets.push(socket);
        await proxy.accept();
        return true;
      };
      assert.deepEqual([await enter(), await enter(), await enter()], [true, true, false]);
      const gone = closed(sockets[0]);
      sockets[0].close();
      await gone;
      await until("there to be room", () => web.gateway.bridges.viewers(streamId("a")) === 1);
      assert.ok(await enter());
    }, { farewellMs, closeMs: 150, ...limits }));
}

Deno.test("viewers that leave before they are let in leave nothing", () =>
  withBridge(async ({ proxy, web }) => {
    for (let round = 0; round < 30; round++) {
      const conn = await Deno.connect({ hostname: "127.0.0.1", port: web.port });
      await conn.write(new TextEncoder().encode(
        `GET /?token=0123456789abcdef0123456789abcdef HTTP/1.1\r\nHost: 127.0.0.1:${web.port}\r\n` +
          `Origin: ${web.origin}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
          "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
      ));
      if (round % 2) await pause(5);
      conn.close();
    }
    await until("the bridges to end", () => web.gateway.bridges.viewers(streamId("a")) === 0);
    await until("the sockets to go", () => connectionEnds(web.port, proxy.port) === 0);
  }, { connectMs: 500, farewellMs }));
