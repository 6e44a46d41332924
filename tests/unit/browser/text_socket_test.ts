/** Messages over a connection whose other end is the test, and in virtual time: what small reads cost. */
import assert from "node:assert/strict";
import { setImmediate } from "node:timers";
import { TextSocket } from "../../../lib/browser/text_socket.ts";
import { Budget } from "../../../lib/machine/tools/budget.ts";
import { encodeFrame, OPCODE } from "../../../lib/machine/websocket/frames.ts";
import { FakeClock } from "../../support/fake_clock.ts";

const HEAD = new TextEncoder().encode(
  "GET / HTTP/1.1\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
);
const LIMITS = { perSecond: 1024 * 1024, burst: 64 * 1024 };

/** A client that says this, a piece a read, and then one byte a read for ever. */
function aClient(pieces: Iterable<Uint8Array>) {
  const left = pieces[Symbol.iterator]();
  const client = { reads: 0, isClosed: false };
  const conn = {
    read: async (buffer: Uint8Array) => {
      await new Promise<void>((done) => void setImmediate(done));
      if (client.isClosed) return null;
      client.reads++;
      const { value = Uint8Array.of(0) } = left.next();
      buffer.set(value);
      return value.length;
    },
    write: (bytes: Uint8Array) => Promise.resolve(bytes.length),
    close: () => client.isClosed = true,
  } as unknown as Deno.UnixConn;
  return Object.assign(client, { conn });
}

function* byteByByte(bytes: Uint8Array): Generator<Uint8Array> {
  for (const byte of bytes) yield Uint8Array.of(byte);
}

Deno.test("text socket: a message a byte at a time is one, is gathered in one buffer, and each read has its price", async () => {
  using clock = new FakeClock();
  const text = '{"id":1}'.padEnd(1000);
  const message = encodeFrame(OPCODE.text, new TextEncoder().encode(text), new Uint8Array(4));
  const { conn } = aClient([HEAD, ...byteByByte(message)]);
  const socket = await TextSocket.accept(conn, new Budget(LIMITS), (socket) => Promise.resolve(socket));
  const real = Uint8Array.prototype.slice;
  let copies = 0;
  Uint8Array.prototype.slice = function (...args) {
    copies++;
    return real.apply(this, args);
  };
  try {
    const messages = socket.messages();
    let got: string | null = null;
    const reading = messages.next().then(({ value }) => got = value ?? "");
    let ms = 0;
    for (; got === null && ms < 60_000; ms += 100) await clock.advance(100);
    assert.equal(await reading, text);
    assert.ok(copies < 10, `${copies} copies`);
    // more than 4 KiB for each of a thousand
    assert.ok(ms >= 4000, `after ${ms} ms`);
    await Promise.all([messages.return(undefined), clock.advance(1000)]);
  } finally {
    Uint8Array.prototype.slice = real;
  }
});

Deno.test("text socket: who asks a byte at a time is not heard to the end", async () => {
  const client = aClient(byteByByte(HEAD));
  const accepted = TextSocket.accept(client.conn, new Budget(LIMITS), (socket) => Promise.resolve(socket));
  await assert.rejects(accepted, /head/);
  assert.ok(client.reads < HEAD.length, `${client.reads} reads`);
  assert.ok(client.isClosed);
});

Deno.test("text socket: who goes on talking at the end is read no faster than before", async () => {
  using clock = new FakeClock();
  const client = aClient([HEAD]);
  const socket = await TextSocket.accept(
    client.conn,
    new Budget(LIMITS),
    (socket) => Promise.resolve(socket),
  );
  const closing = socket.close();
  for (let ms = 0; ms < 100; ms++) await clock.advance(1);
  // 16 at once, and 25 in 100 ms
  assert.ok(client.reads < 60, `${client.reads} reads`);
  await clock.advance(1000);
  await closing;
  assert.ok(client.isClosed);
});
