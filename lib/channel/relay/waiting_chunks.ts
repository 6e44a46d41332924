/** The chunks that wait for a viewer: at most so many bytes; a viewer that is further behind goes on at the next start. */
import type { Chunk } from "./relay.ts";

export class WaitingChunks {
  #chunks: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;
  #maxBytes: number;
  /** Whether all is left out until the next start. */
  #isBehind = true;
  #isOver = false;
  /** Resolves a `ready` that waits. */
  #wake: (() => void) | null = null;

  /** @param maxBytes 0: the newest chunk alone waits. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add({ bytes, isStart }: Chunk): void {
    if (this.#isOver) return;
    if (this.#bytes + bytes.length > this.#maxBytes) {
      [this.#chunks, this.#bytes, this.#isBehind] = [[], 0, true];
    }
    if (this.#isBehind && !isStart) return;
    this.#isBehind = false;
    this.#chunks.push(bytes);
    this.#bytes += bytes.length;
    this.#wake?.();
  }

  /** Waits for a chunk, the end, or so many ms. One caller at a time. */
  async ready(limitMs = Infinity): Promise<void> {
    if (this.#chunks.length > 0 || this.#isOver) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((wake) => {
      this.#wake = wake;
      if (limitMs < Infinity) timer = setTimeout(wake, limitMs);
    });
    clearTimeout(timer);
    this.#wake = null;
  }

  /** The next chunk; null: there is none now. */
  next(): Uint8Array<ArrayBuffer> | null {
    const bytes = this.#chunks.shift();
    if (!bytes) return null;
    this.#bytes -= bytes.length;
    return bytes;
  }

  /** Drops the waiting chunks. */
  end(): void {
    this.#isOver = true;
    this.#chunks = [];
    this.#wake?.();
  }
}
