/**
 * A stream's picture: planes of YUV 4:2:0 in the encoder's size, in the memory of a Wasm instance, which converts whole rows
 * and only damaged rows (lib/display/capture/wasm/pixels.ts). The display's pixels come there in strips: a second copy of all
 * of them would be the largest part of what a stream takes here.
 */
import { makeTaps, pixelsOf, type Taps } from "./taps.ts";

export interface Size {
  width: number;
  height: number;
}

/** Rows of a display, from `top` to before `bottom`. */
export interface Rows {
  top: number;
  bottom: number;
}

/** A display's pixels. */
export interface PixelSource {
  readonly size: Size;
  /** Row after row. They are used at once. */
  pixels(rows: Rows): Uint8Array;
}

/** Rows of the picture that are converted at once: even, since chroma is made of two rows. */
const STRIP_ROWS = 32;

const BYTES_OF_PIXEL = 4;

const PAGE = 64 * 1024;

/** The first bytes stay unused: address 0 is where a mistake would write. */
const FIRST_ADDRESS = 1024;

/** Bytes: more than Wasm reads or writes behind a row's end. */
const SLACK = 64;

interface Kernel {
  convert(source: number, picture: number, width: number, height: number, top: number, bottom: number): void;
  scaleAndConvert(...numbers: number[]): void;
}

/** Compiles the Wasm, once for all pictures. */
export async function compilePixels(file: string): Promise<WebAssembly.Module> {
  return await WebAssembly.compile(await Deno.readFile(file));
}

export class Picture {
  /** Room for a head, and the planes: Y, U, V. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The part of `bytes` with the planes; it begins at a multiple of 64 bytes. */
  readonly planes: Uint8Array<ArrayBuffer>;
  readonly output: Size;
  #source: PixelSource;
  #rowTaps: Taps | null;
  #strip: Uint8Array<ArrayBuffer>;
  /** @param source where the display's first row would be: before the strip, for a strip of later rows. */
  #convert: (source: number, top: number, bottom: number) => void;

  /** @param output may be another size than the display's. @param headSize bytes before the planes. */
  constructor(pixels: WebAssembly.Module, source: PixelSource, output: Size, headSize: number) {
    this.#source = source;
    this.output = output;
    const display = source.size;
    const { width, height } = output;
    const isScaled = width !== display.width || height !== display.height;
    let end = FIRST_ADDRESS;
    const room = (bytes: number) => {
      const at = end;
      end = (end + bytes + SLACK + 63) & ~63;
      return at;
    };
    const rowTaps = isScaled ? makeTaps({ from: display.height, to: height }, ROW_TOTAL) : null;
    const columnTaps = isScaled ? makeTaps({ from: display.width, to: width }, COLUMN_TOTAL, 2) : null;
    const rowTable = rowTaps && tableOfRows(rowTaps);
    const columnTable = columnTaps && tableOfColumns(columnTaps);
    this.#rowTaps = rowTaps;
    const strips = Array.from({ length: Math.ceil(height / 2) }, (_, pair) => this.#sourceRows(pair * 2));
    const stripRows = Math.max(...strips.map(({ top, bottom }) => bottom - top));
    const strip = room(stripRows * display.width * BYTES_OF_PIXEL);
    const headRoom = (headSize + 63) & ~63;
    const planeBytes = width * height * 3 / 2;
    const planes = room(headRoom + planeBytes) + headRoom;
    const rowsAt = room(rowTable?.byteLength ?? 0);
    const columnsAt = room(columnTable?.byteLength ?? 0);
    const line = room(isScaled ? display.width * 8 : 0);
    const rows = room(isScaled ? width * 8 : 0);
    const pages = Math.ceil(end / PAGE);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const { exports } = new WebAssembly.Instance(pixels, { env: { memory } });
    const kernel = exports as unknown as Kernel;
    this.#strip = new Uint8Array(memory.buffer, strip, stripRows * display.width * BYTES_OF_PIXEL);
    this.bytes = new Uint8Array(memory.buffer, planes - headSize, headSize + planeBytes);
    this.planes = this.bytes.subarray(headSize);
    if (!rowTaps || !columnTaps) {
      this.#convert = (source, top, bottom) => kernel.convert(source, planes, width, height, top, bottom);
      return;
    }
    new Uint8Array(memory.buffer, rowsAt).set(new Uint8Array(rowTable!.buffer));
    new Uint8Array(memory.buffer, columnsAt).set(new Uint8Array(columnTable!.buffer));
    const tables = [rowsAt, rowTaps.count, columnsAt, columnTaps.count / 2];
    const after = [display.width, ...tables, line, rows, planes, width, height];
    this.#convert = (source, top, bottom) => kernel.scaleAndConvert(source, ...after, top, bottom);
  }

  /** Converts the picture's rows that a change of these rows of the display changes. @returns the picture's rows. */
  update({ top, bottom }: Rows): Rows {
    const { height } = this.output;
    const rows = this.#rowTaps ? pixelsOf(this.#rowTaps, top, bottom) : { begin: top, end: bottom };
    // chroma is made of two rows
    const begin = rows.begin & ~1;
    const end = Math.min(height, (rows.end + 1) & ~1);
    for (let next = begin; next < end; next += STRIP_ROWS) {
      const needed = this.#sourceRows(next);
      this.#strip.set(this.#source.pixels(needed));
      const first = this.#strip.byteOffset - needed.top * this.#source.size.width * BYTES_OF_PIXEL;
      this.#convert(first, next, Math.min(end, next + STRIP_ROWS));
    }
    return { top: begin, bottom: Math.max(begin, end) };
  }

  /** Converts everything. */
  updateAll(): void {
    this.update({ top: 0, bottom: this.#source.size.height });
  }

  /** The display's rows that the picture's strip from `begin` on is made of. */
  #sourceRows(begin: number): Rows {
    const end = Math.min(this.output.height, begin + STRIP_ROWS);
    if (!this.#rowTaps) return { top: begin, bottom: end };
    const { first, count } = this.#rowTaps;
    return { top: first[begin], bottom: first[end - 1] + count };
  }
}

/** The number for 1 among the weights, as in the Wasm. */
const ROW_TOTAL = 1 << 15;
const COLUMN_TOTAL = 1 << 14;

/** For each row: the first source row, then the weights. */
function tableOfRows({ first, weights, count }: Taps): Int32Array<ArrayBuffer> {
  const table = new Int32Array(first.length * (1 + count));
  const MOST = 0x7fff; // the largest number of 16 bits with a sign
  first.forEach((start, at) => {
    const own = weights.subarray(at * count, (at + 1) * count).map((weight) => Math.min(MOST, weight));
    table.set([start, ...own], at * (1 + count));
  });
  return table;
}

/** For each column: the place of its first source pixel in the line, then the weights, two in a number. */
function tableOfColumns({ first, weights, count }: Taps): Int32Array<ArrayBuffer> {
  const BYTES = 8;
  const pairs = count / 2;
  const table = new Int32Array(first.length * (1 + pairs));
  first.forEach((start, at) => {
    table[at * (1 + pairs)] = start * BYTES;
    for (let pair = 0; pair < pairs; pair++) {
      const [low, high] = weights.subarray(at * count + pair * 2);
      table[at * (1 + pairs) + 1 + pair] = low | high << 16;
    }
  });
  return table;
}
