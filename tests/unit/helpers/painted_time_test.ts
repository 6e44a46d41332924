/** What the soak test of captured pictures is told by a page's picture. */
import { strict as assert } from "node:assert";
import { burstsOf, type DecodedPicture, paintedTime } from "../../support/painted_time.ts";

/** The blocks that a page paints for a time. */
function levels(time: number): Uint8Array {
  const bytes = new Uint8Array(5);
  new DataView(bytes.buffer).setUint32(0, time);
  bytes[4] = bytes[0] ^ bytes[1] ^ bytes[2] ^ bytes[3] ^ 0xa5;
  return Uint8Array.from({ length: 40 }, (_, bit) => bytes[bit >> 3] & 0x80 >> (bit & 7) ? 235 : 16);
}

Deno.test("a page's time is read out of its blocks; black, white, a wrong block and two pictures in one are none", () => {
  for (const time of [0, 1, 0x12345678, 2 ** 32 - 1]) assert.equal(paintedTime(levels(time)), time);
  for (const level of [16, 235, 120]) assert.equal(paintedTime(new Uint8Array(40).fill(level)), null);
  const wrong = levels(1000);
  wrong[39] = 251 - wrong[39];
  assert.equal(paintedTime(wrong), null);
});

Deno.test("a burst begins with the first picture that shows a time after a still second, and has the beep next to it", () => {
  const picture = (at: number, painted: number | null): DecodedPicture => ({ at, painted });
  const pictures = [
    ...[picture(0, null), picture(0.5, null), picture(0.84, 1000), picture(0.88, null), picture(0.92, 1080)],
    ...[picture(1.5, null), picture(2, null), picture(3.2, 3400), picture(3.24, 3440)],
  ];
  const bursts = burstsOf(pictures, [0.86, 3.15]);
  assert.deepEqual(bursts, [
    { pictureAt: 0.84, beepAt: 0.86, painted: 1000 },
    { pictureAt: 3.2, beepAt: 3.15, painted: 3400 },
  ]);
  // a client that comes within a burst has not seen its beginning
  assert.deepEqual(burstsOf(pictures.slice(7), [3.15]), []);
  assert.throws(() => burstsOf(pictures, [0.86]), /no beep/);
});
