/**
 * A stream's picture: the display's pixels, and planes of YUV 4:2:0 in the encoder's size. Pixels and planes are in the
 * memory of a Wasm instance, which converts whole rows and only damaged rows (lib/display/capture/wasm/pixels.ts).
 */
import { makeTaps, pixelsOf, type Taps } from "./taps.ts";

export interface Size {
  width: number;
  height: number;
}

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
  /** The display's pixels, row after row. */
  readonly pixels: Uint8Array<ArrayBuffer>;
  /** Room for a head, and the planes: Y, U, V. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly output: Size;
  #display: Size;
  #rowTaps: Taps | null = null;
  #convert: (top: number, bottom: number) => void;

  /** @param output may be another size than the display's. @param headSize bytes before the planes. */
  constructor(pixels: WebAssembly.Module, display: Size, output: Size, headSize: number) {
    this.#display = display;
    this.output = output;
    const { width, height } = output;
    const isScaled = width !== display.width || height !== display.height;
    let end = FIRST_ADDRESS;
    const room = (bytes: number) => {
      const at = end;
      end = (end + bytes + SLACK + 63) & ~63;
      return at;
    };
    const pixelBytes = display.width * display.height * 4;
    const planeBytes = width * height * 3 / 2;
    const source = room(pixelBytes);
    const head = room(headSize + planeBytes);
    const planes = head + headSize;
    const rowTaps = isScaled ? makeTaps({ from: display.height, to: height }, ROW_TOTAL) : null;
    const columnTaps = isScaled ? makeTaps({ from: display.width, to: width }, COLUMN_TOTAL, 2) : null;
    const rowTable = rowTaps && tableOfRows(rowTaps);
    const columnTable = columnTaps && tableOfColumns(columnTaps);
    const rowsAt = room(rowTable?.byteLength ?? 0);
    const columnsAt = room(columnTable?.byteLength ?? 0);
    const line = room(isScaled ? display.width * 8 : 0);
    const rows = room(isScaled ? width * 8 : 0);
    const pages = Math.ceil(end / PAGE);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    const { exports } = new WebAssembly.Instance(pixels, { env: { memory } });
    const kernel = exports as unknown as Kernel;
    this.pixels = new Uint8Array(memory.buffer, source, pixelBytes);
    this.bytes = new Uint8Array(memory.buffer, head, headSize + planeBytes);
    this.#rowTaps = rowTaps;
    if (!rowTaps || !columnTaps) {
      this.#convert = (top, bottom) => kernel.convert(source, planes, width, height, top, bottom);
      return;
    }
    new Uint8Array(memory.buffer, rowsAt).set(new Uint8Array(rowTable!.buffer));
    new Uint8Array(memory.buffer, columnsAt).set(new Uint8Array(columnTable!.buffer));
    const tables = [rowsAt, rowTaps.count, columnsAt, columnTaps.count / 2];
    const before = [source, display.width, ...tables, line, rows, planes, width, height];
    this.#convert = (top, bottom) => kernel.scaleAndConvert(...before, top, bottom);
  }

  /** Converts the picture's rows that the display's rows from `top` to before `bottom`, in `pixels`, change. */
  update(top: number, bottom: number): void {
    const { height } = this.output;
    const rows = this.#rowTaps ? pixelsOf(this.#rowTaps, top, bottom) : { begin: top, end: bottom };
    // chroma is made of two rows
    const begin = rows.begin & ~1;
    const end = Math.min(height, (rows.end + 1) & ~1);
    if (begin < end) this.#convert(begin, end);
  }

  /** Converts everything. */
  updateAll(): void {
    this.update(0, this.#display.height);
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
