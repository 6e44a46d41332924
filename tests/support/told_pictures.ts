/** A display's picture that tells a number (tests/support/past.ts). */
import type { Picture, Size } from "../../lib/display/capture/picture.ts";
import { barsOf } from "./past.ts";

export class ToldPicture implements Pick<Picture, "planes" | "output"> {
  readonly output: Size;
  readonly planes: Uint8Array<ArrayBuffer>;

  constructor(output: Size) {
    this.output = output;
    this.planes = barsOf(0, output);
  }

  tell(number: number): void {
    this.planes.set(barsOf(number, this.output));
  }
}
