import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { closePayload, encodeFrame, OPCODE } from "../../../../lib/machine/websocket/frames.ts";
import { MAX_MESSAGE_BYTES, PassingFrames } from "../../../../lib/machine/websocket/passing_frames.ts";

const HEAD = new TextEncoder().encode("GET /?token=1 HTTP/1.1\r\nHost: a\r\n\r\n");
const MASK = new Uint8Array([1, 2, 3, 4]);
const CLOSE = encodeFrame(
  OPCODE.close,
  closePayload({ code: 1009, reason: "A message that is too long." }),
  new Uint8Array(4),
);

/** A viewer's frame. */
function frame(opcode: number, length: number, isFinal = true): Uint8Array {
  const bytes = encodeFrame(opcode, new Uint8Array(length).fill(7), MASK);
  if (!isFinal) bytes[0] &= 0x7f;
  return bytes;
}

/** A header alone, with a length of eight bytes. */
function announced(opcode: number, length: bigint, isMasked = true): Uint8Array {
  const header = new Uint8Array(isMasked ? 14 : 10);
  header[0] = 0x80 | opcode;
  header[1] = (isMasked ? 0x80 : 0) | 127;
  new DataView(header.buffer).setBigUint64(2, length);
  return header;
}

function joined(parts: Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** All that is let through of a stream of bytes, cut into pieces of so many. */
function passed(bytes: Uint8Array, size: number): Uint8Array {
  const frames = new PassingFrames(MAX_MESSAGE_BYTES);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    parts.push(frames.pass(bytes.subarray(at, at + size)).slice());
  }
  return joined(parts);
}

/** As deepEqual, which takes a second for some 100 kB. */
function assertSame(actual: Uint8Array, expected: Uint8Array, message: string): void {
  assert.equal(Buffer.compare(actual, expected), 0, message);
}

const SIZES = [1, 2, 3, 5, 13, 14, 15, 4096, 1_000_000];

Deno.test("what a viewer sends goes on byte by byte, however it is cut", () => {
  const sent = joined([
    HEAD,
    ...[0, 1, 125, 126, 127, 65_535, 65_536].map((length) => frame(OPCODE.binary, length)),
    frame(OPCODE.binary, 300, false),
    frame(OPCODE.ping, 9), // between the frames of a message
    frame(OPCODE.continuation, 0, false),
    frame(OPCODE.continuation, 500),
    frame(OPCODE.text, 3),
    frame(OPCODE.close, 2),
  ]);
  for (const size of SIZES) assertSame(passed(sent, size), sent, `pieces of ${size}`);
});

Deno.test("a message of the most bytes goes on, alone and in frames; the next one counts anew", () => {
  const half = MAX_MESSAGE_BYTES / 2;
  const one = frame(OPCODE.binary, MAX_MESSAGE_BYTES);
  const two = [frame(OPCODE.binary, half, false), frame(OPCODE.continuation, half)];
  const sent = joined([HEAD, one, ...two, one]);
  for (const size of [4096, 65_536, 1_000_000]) assertSame(passed(sent, size), sent, `pieces of ${size}`);
});

const TOO_LONG: [string, before: Uint8Array[], cut: Uint8Array][] = [
  ["a frame of one byte too many", [], announced(OPCODE.binary, BigInt(MAX_MESSAGE_BYTES + 1))],
  ["a frame of 60 MB", [], announced(OPCODE.binary, 60_000_000n)],
  ["a frame of 60 MB without a mask", [], announced(OPCODE.binary, 60_000_000n, false)],
  ["a frame of 2^64-1 bytes", [], announced(OPCODE.text, 2n ** 64n - 1n)],
  ["a ping of 60 MB", [], announced(OPCODE.ping, 60_000_000n)],
  [
    "a message in frames that is too long in all",
    [frame(OPCODE.binary, 70_000, false), frame(OPCODE.ping, 5)],
    announced(OPCODE.continuation, BigInt(MAX_MESSAGE_BYTES - 70_000 + 1)),
  ],
];

for (const [what, before, cut] of TOO_LONG) {
  Deno.test(`${what} is cut before its first byte: a close frame, and nothing more`, () => {
    const expected = joined([HEAD, ...before, CLOSE]);
    const sent = joined([HEAD, ...before, cut, new Uint8Array(5000).fill(9), frame(OPCODE.binary, 3)]);
    for (const size of SIZES) assertSame(passed(sent, size), expected, `pieces of ${size}`);
  });
}

Deno.test("a request's head of any length goes on, and ends where it ends", () => {
  const head = new TextEncoder().encode(`GET / HTTP/1.1\r\nX: ${"y".repeat(9000)}\r\n\rZ: \r\r\n\r\n`);
  const sent = joined([head, announced(OPCODE.binary, 60_000_000n)]);
  for (const size of SIZES) assertSame(passed(sent, size), joined([head, CLOSE]), `pieces of ${size}`);
});
