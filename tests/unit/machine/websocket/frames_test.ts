import { strict as assert } from "node:assert";
import fc from "fast-check";
import {
  type Arrival,
  closePayload,
  encodeFrame,
  FrameError,
  FrameParser,
  type FrameRules,
  isSendable,
  OPCODE,
  shortReason,
} from "../../../../lib/machine/websocket/frames.ts";
import { anyText } from "../../../support/any_text.ts";

interface Frame {
  opcode: number;
  final: boolean;
  payload: Uint8Array;
}

/** A server's frame: no mask, the shortest form of the length. */
function serverFrame({ opcode, final, payload }: Frame): Uint8Array {
  const { length } = payload;
  const head = [(final ? 0x80 : 0) | opcode];
  if (length < 126) head.push(length);
  else if (length < 65536) head.push(126, length >> 8, length & 255);
  else head.push(127, 0, 0, 0, 0, length >>> 24, length >> 16 & 255, length >> 8 & 255, length & 255);
  return new Uint8Array([...head, ...payload]);
}

function joined(parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

/** Cuts bytes at the given positions (any numbers). */
function cut(bytes: Uint8Array, positions: number[]): Uint8Array[] {
  const at = [...new Set(positions.map((position) => position % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((start, index) => bytes.subarray(start, at[index] ?? bytes.length));
}

const bytes = (max: number) => fc.uint8Array({ maxLength: max });
const control: fc.Arbitrary<Frame> = fc.record({
  opcode: fc.constantFrom(OPCODE.ping, OPCODE.pong),
  final: fc.constant(true),
  payload: bytes(125),
});
/** A binary message in one or more frames, with control frames in between. */
const message: fc.Arbitrary<Frame[]> = fc.array(
  fc.record({ payload: fc.oneof(bytes(300), bytes(70_000)), between: fc.array(control, { maxLength: 2 }) }),
  { minLength: 1, maxLength: 4 },
).map((parts) =>
  parts.flatMap(({ payload, between }, at) => [
    { opcode: at === 0 ? OPCODE.binary : OPCODE.continuation, final: at === parts.length - 1, payload },
    ...between,
  ])
);

const OF_A_SERVER: FrameRules = { isMasked: false, opcode: OPCODE.binary, mostBytes: 64 * 1024 * 1024 };

const OF_A_CLIENT: FrameRules = { isMasked: true, opcode: OPCODE.text, mostBytes: 70_000 };

function parse(chunks: Uint8Array[], rules = OF_A_SERVER): Arrival[] {
  const parser = new FrameParser(rules);
  return chunks.flatMap((chunk) =>
    // views are good until the next push only
    parser.push(chunk.slice()).map((one) => "bytes" in one ? { ...one, bytes: one.bytes.slice() } : one)
  );
}

Deno.test("any frames in any pieces give their bytes, pings and pongs in order", () => {
  fc.assert(
    fc.property(
      fc.array(message, { maxLength: 4 }),
      fc.array(fc.nat(), { maxLength: 40 }),
      (messages, paths) => {
        const frames = messages.flat();
        const arrivals = parse(cut(joined(frames.map(serverFrame)), paths));
        const data = (list: { bytes: Uint8Array }[]) => joined(list.map((one) => one.bytes));
        const isData = ({ opcode }: Frame) => opcode === OPCODE.binary || opcode === OPCODE.continuation;
        assert.deepEqual(
          data(arrivals.filter((one) => one.kind === "data")),
          joined(frames.filter(isData).map(({ payload }) => payload)),
        );
        assert.deepEqual(
          arrivals.filter(({ kind }) => kind !== "data").map((one) =>
            one.kind === "ping" ? [...one.bytes] : one.kind
          ),
          frames.filter((frame) => !isData(frame)).map(({ opcode, payload }) =>
            opcode === OPCODE.ping ? [...payload] : "pong"
          ),
        );
      },
    ),
    { numRuns: 150 },
  );
});

Deno.test("any bytes are frames or a FrameError, nothing else", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      (garbage, paths) => {
        try {
          parse(cut(garbage, paths));
        } catch (error) {
          assert.ok(error instanceof FrameError, String(error));
        }
      },
    ),
    { numRuns: 2000 },
  );
});

Deno.test("what breaks the protocol is named, with the code to close with", () => {
  const frame = (...head: number[]) => new Uint8Array(head);
  const cases: [string, Uint8Array, number][] = [
    ["a reserved bit", frame(0xc2, 0), 1002],
    ["a mask", frame(0x82, 0x80), 1002],
    ["an unknown opcode", frame(0x83, 0), 1002],
    ["an unknown control opcode", frame(0x8b, 0), 1002],
    ["text", frame(0x81, 0), 1003],
    ["a continuation of nothing", frame(0x80, 0), 1002],
    ["a message in another", frame(0x02, 0, 0x82, 0), 1002],
    ["a ping in pieces", frame(0x09, 0), 1002],
    ["a long ping", frame(0x89, 126, 0, 126), 1002],
    ["16 bits for a short length", frame(0x82, 126, 0, 125), 1002],
    ["64 bits for a short length", frame(0x82, 127, 0, 0, 0, 0, 0, 0, 255, 255), 1002],
    ["an endless frame", frame(0x82, 127, 0x7f, 255, 255, 255, 255, 255, 255, 255), 1009],
    ["half a close code", frame(0x88, 1, 3), 1002],
    ["a close code of nobody", frame(0x88, 2, 3, 0xed), 1002],
    ["a reason that is no text", frame(0x88, 3, 3, 0xe8, 0xff), 1007],
  ];
  for (const [name, input, code] of cases) {
    for (const chunks of [[input], [...input].map((byte) => frame(byte))]) {
      assert.throws(
        () => parse(chunks),
        (error) => error instanceof FrameError && error.code === code,
        name,
      );
    }
  }
});

Deno.test("a client's frames are unmasked, however they are cut, and where a message ends is told", () => {
  fc.assert(fc.property(
    fc.array(fc.oneof(bytes(300), bytes(70_000)), { minLength: 1, maxLength: 4 }),
    fc.uint8Array({ minLength: 4, maxLength: 4 }),
    fc.array(fc.nat(), { maxLength: 20 }),
    (messages, mask, paths) => {
      const frames = messages.map((payload) => encodeFrame(OPCODE.text, payload, mask));
      const arrivals = parse(cut(joined(frames), paths), OF_A_CLIENT);
      const got: Uint8Array[][] = [[]];
      for (const one of arrivals) {
        if (one.kind !== "data") continue;
        got.at(-1)!.push(one.bytes);
        if (one.isLast) got.push([]);
      }
      assert.deepEqual(got.map(joined), [...messages.map((one) => new Uint8Array(one)), new Uint8Array()]);
    },
  ));
});

Deno.test("a client's frame that is not masked, of bytes, too long or one too many is refused", () => {
  const mask = new Uint8Array(4);
  const masked = (first: number) => new Uint8Array([first, 0x80, ...mask]);
  const cases: [string, Uint8Array, number][] = [
    ["no mask", serverFrame({ opcode: OPCODE.text, final: true, payload: new Uint8Array() }), 1002],
    ["bytes", encodeFrame(OPCODE.binary, new Uint8Array(1), mask), 1003],
    ["too long", encodeFrame(OPCODE.text, new Uint8Array(70_001), mask), 1009],
    ["too many", joined([masked(1), ...Array.from({ length: 64 }, () => masked(0))]), 1009],
  ];
  for (const [name, input, code] of cases) {
    assert.throws(() => parse([input], OF_A_CLIENT), { name: "FrameError", code }, name);
  }
});

Deno.test("a close frame's code and reason arrive; none is 1005", () => {
  const reason = "stopped – später";
  const payload = closePayload({ code: 1013, reason });
  const close = (payload: Uint8Array) => parse([serverFrame({ opcode: OPCODE.close, final: true, payload })]);
  assert.deepEqual(close(payload), [{ kind: "close", close: { code: 1013, reason } }]);
  assert.deepEqual(close(new Uint8Array()), [{ kind: "close", close: { code: 1005, reason: "" } }]);
  assert.equal(closePayload({ code: 1006, reason: "not to be sent" }).length, 0);
  const codes = [999, 1000, 1003, 1004, 1005, 1006, 1007, 1014, 1015, 2999, 3000, 4999, 5000];
  assert.deepEqual(codes.filter(isSendable), [1000, 1003, 1007, 1014, 3000, 4999]);
});

Deno.test("a reason is cut between characters and fits into a close frame", () => {
  fc.assert(fc.property(anyText({ maxLength: 200 }), (reason) => {
    const short = shortReason(reason);
    assert.ok(new TextEncoder().encode(short).length <= 123);
    assert.ok(reason.startsWith(short));
    assert.ok(closePayload({ code: 1000, reason }).length <= 125);
  }));
  assert.equal(shortReason("ä".repeat(100)), "ä".repeat(61));
});

Deno.test("a client's frame is masked and in its shortest form", () => {
  fc.assert(fc.property(
    fc.oneof(
      bytes(300),
      bytes(70_000),
      fc.constantFrom(125, 126, 65535, 65536).map((n) => new Uint8Array(n)),
    ),
    fc.uint8Array({ minLength: 4, maxLength: 4 }),
    (payload, mask) => {
      const frame = encodeFrame(OPCODE.binary, payload, mask);
      // without its mask it is a server's frame
      const extra = payload.length < 126 ? 0 : payload.length < 65536 ? 2 : 8;
      assert.ok(frame[1] & 0x80);
      assert.deepEqual(frame.subarray(2 + extra, 6 + extra), mask);
      const plain = joined([
        frame.subarray(0, 2 + extra),
        frame.subarray(6 + extra).map((byte, at) => byte ^ mask[at % 4]),
      ]);
      plain[1] &= 0x7f;
      assert.deepEqual(plain, serverFrame({ opcode: OPCODE.binary, final: true, payload }));
    },
  ));
});
