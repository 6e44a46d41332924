/** Pictures that tell a number: each of 32 bars is a bit, in luma, so that it survives an encoder. */
import type { Picture, Size } from "../../lib/display/capture/picture.ts";

const BITS = 32;

export class ToldPicture implements Pick<Picture, "planes" | "output"> {
  readonly output: Size;
  readonly planes: Uint8Array<ArrayBuffer>;

  constructor(output: Size) {
    this.output = output;
    this.planes = new Uint8Array(output.width * output.height * 3 / 2).fill(128);
    this.tell(0);
  }

  tell(number: number): void {
    const { width, height } = this.output;
    for (let x = 0; x < width; x++) {
      const bit = Math.floor(x * BITS / width);
      const level = (number >>> bit & 1) === 1 ? 235 : 16;
      for (let y = 0; y < height; y++) this.planes[y * width + x] = level;
    }
  }
}

/** The number that a picture's luma tells. */
export function toldBy(luma: Uint8Array, { width, height }: Size): number {
  let number = 0;
  for (let bit = 0; bit < BITS; bit++) {
    const x = Math.floor((bit + 0.5) * width / BITS);
    if (luma[Math.floor(height / 2) * width + x] > 125) number += 2 ** bit;
  }
  return number;
}
