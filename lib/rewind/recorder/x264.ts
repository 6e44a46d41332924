/**
 * libx264 in this process: an encoder for pictures that come when something changed. ffmpeg is built on the same library, so
 * its file is there wherever ffmpeg is.
 * Source: x264.h of build 164, Debian 12 (libx264-dev). The build is part of the name of `x264_encoder_open_164`: a library
 * with other structures does not have this function.
 */
import type { Size } from "../../display/capture/picture.ts";

const SYMBOLS = {
  x264_param_default_preset: { parameters: ["buffer", "buffer", "buffer"], result: "i32" },
  x264_param_parse: { parameters: ["buffer", "buffer", "buffer"], result: "i32" },
  x264_picture_init: { parameters: ["buffer"], result: "void" },
  x264_encoder_open_164: { parameters: ["buffer"], result: "pointer" },
  x264_encoder_headers: { parameters: ["pointer", "buffer", "buffer"], result: "i32" },
  // in another thread: a whole picture takes 20 ms, in which the caller's thread would do nothing for anybody
  x264_encoder_encode: {
    parameters: ["pointer", "buffer", "buffer", "buffer", "buffer"],
    result: "i32",
    nonblocking: true,
  },
  x264_encoder_close: { parameters: ["pointer"], result: "void" },
} as const;

/** Bytes of x264_param_t, and where its fields are. */
const PARAM = { size: 1024, width: 28, height: 32, csp: 36, logLevel: 528 } as const;
/** Bytes of x264_picture_t, and where its fields are; `planes` are pointers, `strides` whole numbers. */
const PICTURE = {
  size: 240,
  type: 0,
  pts: 16,
  csp: 40,
  planeCount: 44,
  strides: 48,
  planes: 64,
} as const;
/** Bytes of x264_nal_t, and where its fields are. */
const NAL = { size: 40, payloadBytes: 20, payload: 24 } as const;
/** Bytes before each unit: its length. */
export const LENGTH_BYTES = 4;
const [CSP_I420, TYPE_IDR, LOG_ERROR] = [2, 1, 0];

/** The quantizer: text stays readable, and a picture that differs little takes little. 25 takes 9 % more for a clock. */
export const QP = 26;

/** Words of x264's own command line. A fixed quality: rate control would make pictures that differ little three times larger. */
const OPTIONS = {
  threads: "1",
  bframes: "0",
  ref: "1",
  weightp: "0",
  subme: "0",
  scenecut: "0",
  qp: String(QP),
  "no-deblock": "1", // a picture is decoded a fifth sooner then, and is no larger and no worse
  keyint: "infinite", // the caller asks for key frames
  annexb: "0",
  "repeat-headers": "1",
  colormatrix: "bt709",
  colorprim: "bt709",
  transfer: "bt709",
  fullrange: "off",
};

const word = (text: string) => new TextEncoder().encode(`${text}\0`);

/** The parameter sets of H.264. */
export interface ParameterSets {
  sequence: Uint8Array<ArrayBuffer>;
  picture: Uint8Array<ArrayBuffer>;
}

/** The library, which is opened with the first encoder, and once: each opening takes memory that Deno does not give back. */
export class X264Library implements Disposable {
  #library: Deno.DynamicLibrary<typeof SYMBOLS> | null = null;

  /** An encoder. @throws {Error} when this machine has no such library, or it refuses. */
  open(size: Size): X264 {
    this.#library ??= Deno.dlopen("libx264.so.164", SYMBOLS);
    return new X264(this.#library.symbols, size);
  }

  /** All its encoders are closed. */
  [Symbol.dispose](): void {
    this.#library?.close();
    this.#library = null;
  }
}

type Functions = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

export class X264 implements Disposable {
  readonly size: Size;
  #functions: Functions;
  #encoder: Deno.PointerObject;
  #input = new Uint8Array(PICTURE.size);
  #output = new Uint8Array(PICTURE.size);
  #nals = new Uint8Array(8);
  #count = new Uint8Array(4);
  #pictures = 0n;

  constructor(symbols: Functions, size: Size) {
    this.#functions = symbols;
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
    if (encoder === null) throw new Error(`x264 refuses ${refused.join(" ") || "the size"}`);
    this.#encoder = encoder;
    this.size = size;
  }

  /** The sets that all pictures are decoded with. */
  parameterSets(): ParameterSets {
    this.#functions.x264_encoder_headers(this.#encoder, this.#nals, this.#count);
    const [sequence, picture] = [0, 1].map((at) => {
      const nal = new Deno.UnsafePointerView(this.#nal(at));
      return bytesAt(nal.getBigUint64(NAL.payload), nal.getInt32(NAL.payloadBytes)).subarray(LENGTH_BYTES);
    });
    return { sequence, picture };
  }

  /**
   * The coded picture: units, each behind its length, with the parameter sets if it is a key frame. One call at a time.
   * @param planes Y, U, V; not changed until the end. @throws {Error} when x264 fails.
   */
  async encode(planes: Uint8Array<ArrayBuffer>, wantsKey: boolean): Promise<Uint8Array<ArrayBuffer>> {
    const symbols = this.#functions;
    const { width, height } = this.size;
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
    const size = await symbols.x264_encoder_encode(
      this.#encoder,
      this.#nals,
      this.#count,
      this.#input,
      this.#output,
    );
    if (size <= 0) throw new Error(`x264 gave ${size} bytes for a picture`);
    // the units lie one after the other, until the next call
    return bytesAt(new Deno.UnsafePointerView(this.#nal(0)).getBigUint64(NAL.payload), size);
  }

  #nal(at: number): Deno.PointerObject {
    return pointerTo(new DataView(this.#nals.buffer).getBigUint64(0, true) + BigInt(at * NAL.size));
  }

  [Symbol.dispose](): void {
    this.#functions.x264_encoder_close(this.#encoder);
  }
}

function pointerTo(address: bigint): Deno.PointerObject {
  const pointer = Deno.UnsafePointer.create(address);
  if (pointer === null) throw new Error("x264 gave nothing");
  return pointer;
}

/** A copy. */
function bytesAt(address: bigint, size: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Deno.UnsafePointerView.getArrayBuffer(pointerTo(address), size)).slice();
}
