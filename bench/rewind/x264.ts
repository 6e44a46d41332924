/**
 * libx264 in this process: an encoder for pictures that come when something changed. ffmpeg is built on the same library, so
 * its file is there wherever ffmpeg is.
 * Source: x264.h of build 164, Debian 12 (libx264-dev). The build is part of the name of `x264_encoder_open_164`: a library
 * with other structures does not have this function.
 */
import type { Size } from "../../lib/display/capture/picture.ts";
import { KEY_PICTURES, QP } from "./past.ts";

const SYMBOLS = {
  x264_param_default_preset: { parameters: ["buffer", "buffer", "buffer"], result: "i32" },
  x264_param_parse: { parameters: ["buffer", "buffer", "buffer"], result: "i32" },
  x264_picture_init: { parameters: ["buffer"], result: "void" },
  x264_encoder_open_164: { parameters: ["buffer"], result: "pointer" },
  x264_encoder_encode: { parameters: ["pointer", "buffer", "buffer", "buffer", "buffer"], result: "i32" },
  x264_encoder_close: { parameters: ["pointer"], result: "void" },
} as const;

/** Bytes of x264_param_t, and where its fields are. */
const PARAM = { size: 1024, width: 28, height: 32, csp: 36, logLevel: 528 } as const;
/** Bytes of x264_picture_t, and where its fields are; `planes` are pointers, `strides` whole numbers. */
const PICTURE = {
  size: 240,
  type: 0,
  keyframe: 12,
  pts: 16,
  csp: 40,
  planeCount: 44,
  strides: 48,
  planes: 64,
} as const;
/** Where the pointer to the bytes is in x264_nal_t. */
const NAL_BYTES = 24;
const [CSP_I420, TYPE_IDR, LOG_ERROR] = [2, 1, 0];

/** Words of x264's own command line. A fixed quality: rate control would make pictures that differ little three times larger. */
const OPTIONS = {
  threads: "1",
  bframes: "0",
  ref: "1",
  weightp: "0",
  subme: "0",
  scenecut: "0",
  qp: String(QP),
  keyint: String(KEY_PICTURES),
  colormatrix: "bt709",
  colorprim: "bt709",
  transfer: "bt709",
  fullrange: "off",
};

const word = (text: string) => new TextEncoder().encode(`${text}\0`);

export interface Coded {
  /** Annex B: with its parameter sets, if it is a key frame. */
  bytes: Uint8Array<ArrayBuffer>;
  isKey: boolean;
}

export class X264 implements Disposable {
  #library = Deno.dlopen("libx264.so.164", SYMBOLS);
  #encoder: Deno.PointerObject;
  #size: Size;
  #input = new Uint8Array(PICTURE.size);
  #output = new Uint8Array(PICTURE.size);
  #nals = new Uint8Array(8);
  #count = new Uint8Array(4);
  #pictures = 0n;

  /** @throws {Error} when the library is another one, or refuses. */
  constructor(size: Size) {
    const { symbols } = this.#library;
    const param = new Uint8Array(PARAM.size);
    symbols.x264_param_default_preset(param, word("veryfast"), word("zerolatency"));
    const view = new DataView(param.buffer);
    view.setInt32(PARAM.width, size.width, true);
    view.setInt32(PARAM.height, size.height, true);
    view.setInt32(PARAM.csp, CSP_I420, true);
    view.setInt32(PARAM.logLevel, LOG_ERROR, true);
    const refused = Object.entries(OPTIONS).filter(([name, value]) =>
      symbols.x264_param_parse(param, word(name), word(value)) !== 0
    );
    const encoder = refused.length === 0 ? symbols.x264_encoder_open_164(param) : null;
    if (encoder === null) {
      this.#library.close();
      throw new Error(`x264 refuses ${refused.join(" ") || "the size"}`);
    }
    this.#encoder = encoder;
    this.#size = size;
  }

  /** The coded picture, at once. @param planes Y, U, V. @throws {Error} when x264 fails. */
  encode(planes: Uint8Array<ArrayBuffer>, wantsKey: boolean): Coded {
    const { symbols } = this.#library;
    const { width, height } = this.#size;
    symbols.x264_picture_init(this.#input);
    const view = new DataView(this.#input.buffer);
    if (wantsKey) view.setInt32(PICTURE.type, TYPE_IDR, true);
    view.setBigInt64(PICTURE.pts, this.#pictures++, true);
    view.setInt32(PICTURE.csp, CSP_I420, true);
    view.setInt32(PICTURE.planeCount, 3, true);
    [width, width / 2, width / 2].forEach((stride, at) => {
      view.setInt32(PICTURE.strides + at * 4, stride, true);
    });
    const begin = Deno.UnsafePointer.value(Deno.UnsafePointer.of(planes));
    const luma = width * height;
    [0, luma, luma * 5 / 4].forEach((offset, at) => {
      view.setBigUint64(PICTURE.planes + at * 8, begin + BigInt(offset), true);
    });
    const size = symbols.x264_encoder_encode(
      this.#encoder,
      this.#nals,
      this.#count,
      this.#input,
      this.#output,
    );
    if (size <= 0) throw new Error(`x264 gave ${size} bytes for a picture`);
    // the units lie one after the other, until the next call
    const first = pointerIn(new DataView(this.#nals.buffer).getBigUint64(0, true));
    const bytes = pointerIn(new Deno.UnsafePointerView(first).getBigUint64(NAL_BYTES));
    return {
      bytes: new Uint8Array(new Deno.UnsafePointerView(bytes).getArrayBuffer(size)).slice(),
      isKey: new DataView(this.#output.buffer).getInt32(PICTURE.keyframe, true) !== 0,
    };
  }

  [Symbol.dispose](): void {
    this.#library.symbols.x264_encoder_close(this.#encoder);
    this.#library.close();
  }
}

function pointerIn(address: bigint): Deno.PointerObject {
  const pointer = Deno.UnsafePointer.create(address);
  if (pointer === null) throw new Error("x264 gave no picture");
  return pointer;
}
