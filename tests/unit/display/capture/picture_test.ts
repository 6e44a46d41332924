/** The conversion in Wasm against plain arithmetic. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { Picture, type Rows, type Size } from "../../../../lib/display/capture/picture.ts";
import { largestError, pixelsModule, referencePlanes } from "../../../support/pixels.ts";

const HEAD = 5;

const even = (min: number, max: number) => fc.integer({ min: min / 2, max: max / 2 }).map((half) => half * 2);
const size = fc.record({ width: even(8, 90), height: even(2, 60) });

/** Pixels with what errors are seen at: noise, edges from black to white, and plain colours. */
function pixelsOf({ width, height }: Size, seed: number): Uint8Array {
  const pixels = new Uint8Array(width * height * 4);
  let state = seed | 1;
  const random = () => (state = Math.imul(state, 1664525) + 1013904223 >>> 0) >>> 24;
  const plain = [random(), random(), random(), random()];
  for (let at = 0; at < pixels.length; at++) {
    const column = (at >> 2) % width;
    pixels[at] = seed % 3 === 0 ? random() : seed % 3 === 1 ? (column % 7 < 3 ? 255 : 0) : plain[at & 3];
  }
  return pixels;
}

function converted(pixels: Uint8Array, from: Size, to: Size): Picture {
  const stride = from.width * 4;
  const source = {
    size: from,
    pixels: ({ top, bottom }: Rows) => pixels.subarray(top * stride, bottom * stride),
  };
  const picture = new Picture(pixelsModule, source, to, HEAD);
  picture.updateAll();
  return picture;
}

Deno.test("picture: planes of the display's own size are within a level of BT.709, for any even size", () => {
  fc.assert(
    fc.property(size, fc.nat(), (display, seed) => {
      const pixels = pixelsOf(display, seed);
      const picture = converted(pixels, display, display);
      const error = largestError(picture.bytes.subarray(HEAD), referencePlanes(pixels, display, display));
      assert.ok(error <= 0.6, `${error}`);
    }),
    { numRuns: 60 },
  );
});

Deno.test("picture: a scaled picture is within a level of the area's mean, or of what lies between two pixels", () => {
  fc.assert(
    fc.property(size, size, fc.nat(), (display, output, seed) => {
      const pixels = pixelsOf(display, seed);
      const picture = converted(pixels, display, output);
      const error = largestError(picture.bytes.subarray(HEAD), referencePlanes(pixels, display, output));
      assert.ok(error <= 1, `${error}`);
    }),
    { numRuns: 100 },
  );
});

Deno.test("picture: rows that changed alone give what the whole gives, and nothing is written outside", () => {
  fc.assert(
    fc.property(size, size, fc.boolean(), fc.nat(), fc.nat(), fc.nat(), (...given) => {
      const [display, other, isScaled, seed, top, count] = given;
      const output = isScaled ? other : display;
      const pixels = pixelsOf(display, seed);
      const picture = converted(pixels, display, output);
      picture.bytes.fill(7, 0, HEAD);
      const begin = top % display.height;
      const end = Math.min(display.height, begin + 1 + count % display.height);
      for (let at = begin * display.width * 4; at < end * display.width * 4; at++) pixels[at] ^= 0x5a;
      const before = picture.planes.slice();
      const changed = picture.update({ top: begin, bottom: end });
      const whole = converted(pixels, display, output);
      assert.deepEqual(picture.bytes.subarray(HEAD), whole.bytes.subarray(HEAD));
      const luma = picture.planes.subarray(0, output.width * output.height);
      const differing = luma.findIndex((level, at) => level !== before[at]);
      const last = luma.findLastIndex((level, at) => level !== before[at]);
      assert.ok(differing === -1 || differing >= changed.top * output.width);
      assert.ok(last < changed.bottom * output.width);
      assert.deepEqual([...picture.bytes.subarray(0, HEAD)], [7, 7, 7, 7, 7]);
    }),
    { numRuns: 100 },
  );
});

Deno.test("picture: black and white are exact, whatever the scaling", () => {
  for (const [colour, luma] of [[0, 16], [255, 235]]) {
    for (const output of [{ width: 64, height: 36 }, { width: 42, height: 24 }, { width: 96, height: 54 }]) {
      const display = { width: 64, height: 36 };
      const pixels = new Uint8Array(display.width * display.height * 4).fill(colour);
      const planes = converted(pixels, display, output).bytes.subarray(HEAD);
      const lumas = output.width * output.height;
      assert.deepEqual(new Set(planes.subarray(0, lumas)), new Set([luma]));
      assert.deepEqual(new Set(planes.subarray(lumas)), new Set([128]));
    }
  }
});
