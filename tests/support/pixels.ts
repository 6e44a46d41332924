/** What the Wasm of lib/display/capture is compared with: plain arithmetic, one pixel after the other, by real numbers. */
import { join } from "node:path";
import { pixelWeights } from "../../lib/display/capture/taps.ts";
import { compilePixels, type Size } from "../../lib/display/capture/picture.ts";
import { root } from "./fixture.ts";

/** The Wasm that `deno task build` has made. */
export const pixelsModule = await compilePixels(join(root, "_fresh/wasm/pixels.bin"));

/** BT.709, of numbers from 0 to 255, in limited range. Source: ITU-R BT.709-6, items 3.2 to 3.4. */
function yuvOf([blue, green, red]: readonly number[]): [number, number, number] {
  const luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  const scale = (value: number, range: number) => value / 255 * range;
  return [
    16 + scale(luma, 219),
    128 + scale((blue - luma) / 1.8556, 224),
    128 + scale((red - luma) / 1.5748, 224),
  ];
}

/** Blue, green and red of each pixel of the scaled picture, as real numbers. */
function scaled(pixels: Uint8Array, from: Size, to: Size): number[][] {
  const columns = Array.from(
    { length: to.width },
    (_, x) => [...pixelWeights({ from: from.width, to: to.width }, x)],
  );
  return Array.from({ length: to.height }, (_, y) => {
    const rows = [...pixelWeights({ from: from.height, to: to.height }, y)];
    return columns.map((taps) => {
      const sum = [0, 0, 0];
      for (const [row, rowWeight] of rows) {
        for (const [column, weight] of taps) {
          const at = (row * from.width + column) * 4;
          for (let colour = 0; colour < 3; colour++) sum[colour] += rowWeight * weight * pixels[at + colour];
        }
      }
      return sum;
    });
  }).flat();
}

/** The planes of a picture, as real numbers. */
export function referencePlanes(pixels: Uint8Array, from: Size, to: Size): Float64Array {
  const { width, height } = to;
  const colours = scaled(pixels, from, to).map(yuvOf);
  const planes = new Float64Array(width * height * 3 / 2);
  colours.forEach(([luma], at) => planes[at] = luma);
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2) {
      const square = [0, 1, width, width + 1].map((more) => colours[y * width + x + more]);
      for (const plane of [1, 2]) {
        const at = width * height * (plane === 1 ? 1 : 1.25) + (y / 2) * (width / 2) + x / 2;
        planes[at] = square.reduce((sum, colour) => sum + colour[plane], 0) / 4;
      }
    }
  }
  return planes;
}

/** How far the farthest of the bytes is from the reference. */
export function largestError(bytes: Uint8Array, reference: Float64Array): number {
  return reference.reduce((most, value, at) => Math.max(most, Math.abs(bytes[at] - value)), 0);
}
