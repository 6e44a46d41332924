/** One file of the media server: asked for once, and followed by all who want it while it arrives. */
import { askUpstream, type UpstreamAnswer, type UpstreamLimits } from "../http/upstream.ts";
import { errorText } from "../system/log.ts";

/** Bytes a viewer is handed at once; what one that stopped reading can keep in memory. */
export const CHUNK_BYTES = 256 * 1024;

export interface FileHead {
  type: string | null;
  /** Bytes. */
  size: number;
  /** A strong one, quoted. A playlist has none: nginx makes it of second and size, which two may share. */
  etag: string | null;
}

export interface FileRules extends UpstreamLimits {
  /** Milliseconds for the whole file. */
  wholeMs: number;
  /** Bytes of the largest file that is shared. */
  maxBytes: number;
  /** What viewers get of a playlist, which is ready when it is whole; a segment is when its length is known. */
  rewritten?: (playlist: string) => string;
}

/** Why a file cannot be had. */
export class FileFailure extends Error {
  override name = "FileFailure";
  /** @param status the upstream's, 502 when it is away, TOO_BIG or GIVEN_UP. */
  constructor(readonly status: number, message: string) {
    super(message);
  }
}

/** The file is there, but too big to share or of unknown size. */
export const TOO_BIG = 0;
/** We stopped asking: nobody wanted it any more, or others needed the room. */
export const GIVEN_UP = -1;

export class SharedFile {
  /** Settles, never rejects, when `head` or `failure` is known. */
  readonly ready: Promise<void>;
  head: FileHead | null = null;
  failure: FileFailure | null = null;
  isReady = false;
  isWhole = false;
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  #filled = 0;
  /** Of a playlist that is whole. */
  #text: string | null = null;
  #followers = 0;
  #answer: UpstreamAnswer | null = null;
  #progress = Promise.withResolvers<void>();
  #becameReady = Promise.withResolvers<void>();

  /**
   * Asks for the file at once.
   * @param startedAt ms of the cache's clock. @param onSize told by how many bytes it grows, before they are kept.
   */
  constructor(
    origin: string,
    readonly path: string,
    readonly startedAt: number,
    rules: FileRules,
    onSize: (bytes: number) => void,
  ) {
    this.ready = this.#becameReady.promise;
    const timer = setTimeout(
      () => this.end(new FileFailure(502, `not whole after ${rules.wholeMs} ms`)),
      rules.wholeMs,
    );
    this.#load(origin + path, rules, onSize)
      .catch((error) =>
        this.end(error instanceof FileFailure ? error : new FileFailure(502, errorText(error)))
      )
      .finally(() => clearTimeout(timer));
  }

  /** Whether somebody waits for it or is in the middle of it. */
  get isFollowed(): boolean {
    return this.#followers > 0;
  }

  /** Counts someone who wants it. When the last one lets go of a file that is not whole, the upstream is cancelled. */
  hold(): void {
    this.#followers++;
  }

  release(): void {
    this.#followers--;
    if (this.#followers === 0 && !this.isWhole) {
      this.end(new FileFailure(GIVEN_UP, "nobody wants it any more"));
    }
  }

  /** Gives the bytes up; who is in the middle of them is cut off. */
  end(failure: FileFailure): void {
    this.failure ??= failure;
    this.#chunks = [];
    this.#text = null;
    this.#answer?.cancel();
    this.#becomeReady();
    this.#wake();
  }

  /**
   * The bytes from one place to another, as far as they are here at once, the rest as it arrives. A whole playlist is
   * text, which Deno is faster with.
   */
  body(from: number, to: number): ReadableStream<Uint8Array> | string {
    if (!this.isWhole || this.#chunks.length > 1) return this.#follow(from, to);
    if (this.#text !== null && from === 0 && to === this.#filled) return this.#text;
    return atOnce(this.#part(from, to));
  }

  /** The text of a playlist that is ready. */
  get text(): string {
    return this.#text ?? "";
  }

  #follow(from: number, to: number): ReadableStream<Uint8Array> {
    let at = from;
    let isHolding = true;
    const letGo = () => {
      if (isHolding) this.release();
      isHolding = false;
    };
    this.hold();
    return new ReadableStream({
      pull: async (controller) => {
        while (!this.failure && !this.isWhole && this.#filled <= at) await this.#progress.promise;
        if (this.failure) {
          letGo();
          throw this.failure;
        }
        const part = this.#part(at, Math.min(to, this.#filled));
        at += part.length;
        controller.enqueue(part);
        if (at < to) return;
        letGo();
        controller.close();
      },
      cancel: letGo,
    }, { highWaterMark: 0 });
  }

  /** What is here from a place on, up to the end of its chunk. */
  #part(from: number, to: number): Uint8Array<ArrayBuffer> {
    const start = from - from % CHUNK_BYTES;
    const chunk = this.#chunks[start / CHUNK_BYTES] ?? new Uint8Array();
    return chunk.subarray(from - start, to - start);
  }

  async #load(url: string, rules: FileRules, onSize: (bytes: number) => void): Promise<void> {
    const answer = await askUpstream(url, {}, rules);
    this.#answer = answer;
    if (this.failure) return answer.cancel();
    const size = Number(answer.headers.get("content-length") ?? NaN);
    if (answer.status !== 200) throw new FileFailure(answer.status, `status ${answer.status}`);
    if (!(size <= rules.maxBytes)) throw new FileFailure(TOO_BIG, "too big to share, or of unknown size");
    this.head = {
      size,
      type: answer.headers.get("content-type"),
      etag: rules.rewritten ? null : answer.headers.get("etag"),
    };
    onSize(size);
    if (!rules.rewritten) this.#becomeReady();
    while (this.#filled < size) {
      const part = await answer.read();
      if (this.failure) return;
      if (!part) throw new FileFailure(502, `${this.#filled} of ${size} bytes`);
      this.#append(part, size);
      if (this.#filled < size) this.#wake();
    }
    if (rules.rewritten) this.#replace(rules.rewritten(this.#decoded()), onSize);
    this.isWhole = true;
    this.#becomeReady();
    this.#wake();
    // to its end, so that the connection can be used again
    await answer.read().catch(() => {});
  }

  #append(part: Uint8Array, size: number): void {
    if (this.#filled + part.length > size) throw new FileFailure(502, `more than ${size} bytes`);
    for (let rest = part; rest.length > 0;) {
      const at = this.#filled % CHUNK_BYTES;
      if (at === 0) this.#chunks.push(new Uint8Array(Math.min(CHUNK_BYTES, size - this.#filled)));
      const taken = rest.subarray(0, CHUNK_BYTES - at);
      this.#chunks.at(-1)!.set(taken, at);
      this.#filled += taken.length;
      rest = rest.subarray(taken.length);
    }
  }

  #decoded(): string {
    const decoder = new TextDecoder();
    return this.#chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join("");
  }

  #replace(text: string, onSize: (bytes: number) => void): void {
    this.#text = text;
    const bytes = new TextEncoder().encode(text);
    onSize(bytes.length - this.head!.size);
    this.head!.size = bytes.length;
    this.#chunks = [];
    this.#filled = 0;
    this.#append(bytes, bytes.length);
  }

  #becomeReady(): void {
    this.isReady = true;
    this.#becameReady.resolve();
  }

  #wake(): void {
    this.#progress.resolve();
    this.#progress = Promise.withResolvers<void>();
  }
}

/** A body of one chunk, which Deno does not copy. */
function atOnce(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}
