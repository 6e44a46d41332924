import { strict as assert } from "node:assert";
import fc from "fast-check";
import { ChunkReader, messageChunks, type RtmpMessage } from "../../../../lib/channel/media/rtmp_chunks.ts";

/** A server's chunks, with each form of header that the media server uses. */
interface Sent {
  format: 0 | 1 | 2;
  time: number;
  payload: Uint8Array;
}

const bytesOf = (value: number, count: number) =>
  Array.from({ length: count }, (_, at) => Math.floor(value / 256 ** (count - 1 - at)) % 256);

/** @param previous the time of the message before. */
function chunks({ format, time, payload }: Sent, previous: number, size: number): number[] {
  const value = format === 0 ? time : time - previous;
  const isLong = value >= 0xff_ffff;
  const long = isLong ? bytesOf(value, 4) : [];
  const field = bytesOf(isLong ? 0xff_ffff : value, 3);
  const rest = format === 2 ? [] : [...bytesOf(payload.length, 3), 9];
  const all = [format << 6 | 6, ...field, ...rest, ...(format === 0 ? [1, 0, 0, 0] : []), ...long];
  for (let at = 0; at < payload.length; at += size) {
    if (at > 0) all.push(3 << 6 | 6, ...long);
    all.push(...payload.subarray(at, at + size));
  }
  return all;
}

function read(bytes: Uint8Array, cuts: number[]): RtmpMessage[] {
  const reader = new ChunkReader();
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).flatMap((end, index) => reader.push(bytes.subarray(at[index], end)));
}

Deno.test("RTMP: messages of any form arrive whole, however they are cut", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 2 ** 32 - 1 - 1e8 }),
      fc.array(
        fc.record({
          step: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.constantFrom(0xff_fffe, 0xff_ffff, 0x100_0000)),
          payload: fc.uint8Array({ minLength: 1, maxLength: 700 }),
          isFull: fc.boolean(),
        }),
        { minLength: 1, maxLength: 6 },
      ),
      fc.array(fc.nat(), { maxLength: 12 }),
      fc.constantFrom(128, 4096),
      (start, steps, cuts, size) => {
        let time = start;
        const bytes = size === 128 ? [] : [2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, ...bytesOf(size, 4)];
        const expected: [number, number[]][] = [];
        steps.forEach(({ step, payload, isFull }, at) => {
          const previous = time;
          time += at === 0 ? 0 : step;
          bytes.push(...chunks({ format: isFull || at === 0 ? 0 : 1, time, payload }, previous, size));
          expected.push([time, [...payload]]);
        });
        const got = read(Uint8Array.from(bytes), cuts).filter(({ type }) => type === 9);
        assert.deepEqual(got.map(({ time, payload }) => [time, [...payload]]), expected);
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("RTMP: a difference of time is repeated where a header is left out", () => {
  const first = chunks({ format: 0, time: 1000, payload: Uint8Array.of(1, 2) }, 0, 128);
  const second = chunks({ format: 1, time: 1040, payload: Uint8Array.of(3, 4) }, 1000, 128);
  const third = [3 << 6 | 6, 5, 6];
  assert.deepEqual(read(Uint8Array.of(...first, ...second, ...third), []).map(({ time }) => time), [
    1000,
    1040,
    1080,
  ]);
});

Deno.test("RTMP: what we send is read back", () => {
  for (const length of [0, 1, 127, 128, 129, 500]) {
    const payload = new Uint8Array(length).fill(7);
    const [message] = new ChunkReader().push(messageChunks(3, 20, 1, payload));
    assert.deepEqual([message.type, message.time, message.payload], [20, 0, payload]);
  }
});

Deno.test("RTMP: any bytes are messages, not enough, or an error; none costs much", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
    try {
      read(bytes, [100]);
    } catch (error) {
      assert.ok(
        error instanceof Error && !(error instanceof TypeError || error instanceof RangeError),
        String(error),
      );
    }
  }));
  const tooLong = Uint8Array.of(6, 0, 0, 0, 0xff, 0xff, 0xff, 9, 1, 0, 0, 0);
  assert.throws(() => read(tooLong, []), /too long/);
});
