/** A viewer who gets a channel's transport stream as one long answer, at its own speed. */
import type { Chunk, RelayViewer, ViewerParts } from "./relay.ts";

export const TS_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "video/mp2t",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

/** Bytes that wait for a viewer; one that is further behind goes on at the next key frame. */
const MAX_WAITING_BYTES = 2 * 1024 * 1024;

export class TsViewer implements RelayViewer {
  readonly response: Response;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #waiting: Uint8Array<ArrayBuffer>[] = [];
  #waitingBytes = 0;
  /** Resolves a read that waits for bytes. */
  #wake: (() => void) | null = null;
  /** Whether all is left out until the next key frame. */
  #isBehind = true;
  #isOver = false;
  #parts: ViewerParts;
  /** Since when the client has not asked for more, ms of the steady clock; null while it does. */
  #idleSince: number | null;

  constructor(parts: ViewerParts) {
    this.#parts = parts;
    this.#idleSince = parts.elapsed();
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: () => this.#next(),
      cancel: () => this.#finish(),
    }, { highWaterMark: 0 });
    this.response = new Response(body, { headers: TS_HEADERS });
  }

  take({ bytes, isStart }: Chunk): void {
    if (this.#isOver) return;
    if (this.#waitingBytes + bytes.length > MAX_WAITING_BYTES) {
      [this.#waiting, this.#waitingBytes, this.#isBehind] = [[], 0, true];
    }
    if (this.#isBehind && !isStart) return;
    this.#isBehind = false;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#wake?.();
  }

  /** Milliseconds that the client has not asked for more. */
  get idleMs(): number {
    return this.#idleSince === null ? 0 : this.#parts.elapsed() - this.#idleSince;
  }

  end(): void {
    if (this.#isOver) return;
    this.#controller.close();
    this.#finish();
  }

  /** Ends the connection at once: what was sent before a close would wait for ever as well. */
  giveUp(): void {
    if (this.#isOver) return;
    this.#controller.error(new Error("the client takes nothing"));
    this.#finish();
  }

  async #next(): Promise<void> {
    this.#idleSince = null;
    if (this.#waiting.length === 0) await new Promise<void>((wake) => this.#wake = wake);
    this.#wake = null;
    if (this.#isOver) return;
    const bytes = this.#waiting.shift()!;
    this.#waitingBytes -= bytes.length;
    this.#idleSince = this.#parts.elapsed();
    this.#parts.onsend(bytes.length);
    this.#controller.enqueue(bytes);
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#waiting = [];
    this.#wake?.();
    this.#parts.onend();
  }
}
