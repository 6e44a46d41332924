/** The picture that was kept last, and how another one differs from it. */
import type { Rows, Size } from "../../display/capture/picture.ts";
import { type Change, GRID } from "./piece.ts";

const CELLS = GRID.columns * GRID.rows;

/** Pixels, or samples of colour, that are compared at once. */
const WORD_BYTES = 4;

export class LastPicture {
  readonly size: Size;
  /** Planes of YUV 4:2:0: Y, U, V. */
  readonly planes: Uint8Array<ArrayBuffer>;
  #words: Int32Array;

  constructor(size: Size) {
    this.size = size;
    // to a whole word: the last samples of colour may be half a word
    const bytes = Math.ceil(size.width * size.height * 3 / 2 / WORD_BYTES) * WORD_BYTES;
    const room = new Uint8Array(bytes);
    this.planes = room.subarray(0, size.width * size.height * 3 / 2);
    this.#words = new Int32Array(room.buffer);
  }

  /**
   * How other planes differ; null: not at all.
   * @param planes begin at a multiple of four bytes. @param rows the only ones that may differ; both are even.
   */
  compare(planes: Uint8Array<ArrayBuffer>, { top, bottom }: Rows): Change | null {
    const { width, height } = this.size;
    const words = new Int32Array(planes.buffer, planes.byteOffset, Math.floor(planes.length / WORD_BYTES));
    const found = new Uint8Array(CELLS);
    const luma = width * height, colour = luma / 4;
    const different = this.#compare(words, found, top * width, bottom * width, 0, width, height);
    for (const begin of [luma, luma + colour]) {
      const [from, to] = [begin + top * width / 4, begin + bottom * width / 4];
      this.#compare(words, found, from, to, begin, width / 2, height / 2);
    }
    if (!found.includes(1)) return null;
    const share = Math.max(1, Math.round(1000 * different * WORD_BYTES / luma));
    return { share: Math.min(1000, share), cells: bitsOf(found) };
  }

  /** Copies these rows of other planes. */
  take(planes: Uint8Array<ArrayBuffer>, { top, bottom }: Rows): void {
    const { width, height } = this.size;
    const luma = width * height, colour = luma / 4;
    this.planes.set(planes.subarray(top * width, bottom * width), top * width);
    for (const plane of [luma, luma + colour]) {
      const [from, to] = [plane + top * width / 4, plane + bottom * width / 4];
      this.planes.set(planes.subarray(from, to), from);
    }
  }

  /**
   * Marks the cells that differ. @param from to before `to`: bytes of a plane that begins at `plane`.
   * @returns the number of words that differ.
   */
  #compare(
    words: Int32Array,
    found: Uint8Array,
    from: number,
    to: number,
    plane: number,
    width: number,
    height: number,
  ): number {
    const kept = this.#words;
    const end = Math.min(words.length, Math.ceil(to / WORD_BYTES));
    let different = 0;
    for (let word = Math.floor(from / WORD_BYTES); word < end; word++) {
      if (words[word] === kept[word]) continue;
      different++;
      // a word at a plane's edge may begin in the plane before
      const at = Math.max(0, word * WORD_BYTES - plane);
      const row = Math.min(height - 1, Math.floor(at / width));
      const column = Math.min(GRID.columns - 1, Math.floor((at - row * width) * GRID.columns / width));
      found[Math.floor(row * GRID.rows / height) * GRID.columns + column] = 1;
    }
    return different;
  }
}

function bitsOf(found: Uint8Array): Uint8Array<ArrayBuffer> {
  const bits = new Uint8Array(CELLS / 8);
  found.forEach((is, cell) => bits[cell >> 3] |= is << (7 - (cell & 7)));
  return bits;
}
