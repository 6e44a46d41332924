/** A viewer who gets one long answer, at its own speed. */
import type { Chunk, RelayViewer, ViewerParts } from "./relay.ts";

/** The headers of an answer that goes on. */
export function liveHeaders(type: string): Record<string, string> {
  return { "content-type": type, "cache-control": "no-store, no-transform", "x-accel-buffering": "no" };
}

export interface AnswerForm {
  type: string;
  /** Bytes that wait for a viewer; one that is further behind goes on at the next start. 0: the newest chunk waits. */
  maxWaitingBytes: number;
  /** The beginning of each answer. */
  preamble?: Uint8Array<ArrayBuffer>;
}

export class AnswerViewer implements RelayViewer {
  readonly response: Response;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #waiting: Uint8Array<ArrayBuffer>[] = [];
  #waitingBytes = 0;
  /** Resolves a read that waits for bytes. */
  #wake: (() => void) | null = null;
  /** Whether all is left out until the next start. */
  #isBehind = true;
  #isOver = false;
  #parts: ViewerParts;
  /** Since when the client has not asked for more, ms of the steady clock; null while it does. */
  #idleSince: number | null;

  #maxWaitingBytes: number;

  constructor(parts: ViewerParts, { type, maxWaitingBytes, preamble }: AnswerForm) {
    this.#parts = parts;
    this.#maxWaitingBytes = maxWaitingBytes;
    this.#idleSince = parts.elapsed();
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        this.#controller = controller;
        if (preamble) controller.enqueue(preamble);
      },
      pull: () => this.#next(),
      cancel: () => this.#finish(),
    }, { highWaterMark: 0 });
    this.response = new Response(body, { headers: liveHeaders(type) });
  }

  take({ bytes, isStart }: Chunk): void {
    if (this.#isOver) return;
    if (this.#waitingBytes + bytes.length > this.#maxWaitingBytes) {
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
