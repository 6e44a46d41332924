/** A viewer who gets one long answer, at its own speed. */
import { Buffer } from "node:buffer";
import { sleep } from "../../machine/tools/time.ts";
import type { Chunk, RelayViewer, ViewerParts } from "./relay.ts";
import { WaitingChunks } from "./waiting_chunks.ts";

/** The headers of an answer that goes on. */
function liveHeaders(type: string): Record<string, string> {
  return { "content-type": type, "cache-control": "no-store, no-transform", "x-accel-buffering": "no" };
}

export interface AnswerForm {
  type: string;
  /** Bytes that wait for a viewer; one that is further behind goes on at the next start. 0: the newest chunk waits. */
  maxWaitingBytes: number;
  /** The beginning of each answer. */
  preamble?: Uint8Array<ArrayBuffer>;
  /** Means nothing to players: parts that are shorter go together, and are made as long by it. */
  filler?: Uint8Array<ArrayBuffer>;
}

/** Milliseconds between two parts that are shorter than the filler; and after which the filler alone is sent. */
const [SHORT_MS, NOTHING_MS] = [250, 1000];

/** The answer to HEAD: a stream, since an answer without a body would be said to have 0 bytes. */
export function liveHead({ type }: Pick<AnswerForm, "type">): Response {
  return new Response(new Blob([]).stream(), { headers: liveHeaders(type) });
}

export class AnswerViewer implements RelayViewer {
  readonly response: Response;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #waiting: WaitingChunks;
  #isOver = false;
  #parts: ViewerParts;
  /** Since when the client has not asked for more, ms of the steady clock; null while it does. */
  #idleSince: number | null;
  #filler: Uint8Array<ArrayBuffer> | undefined;
  #sentAt = -Infinity;
  #ended = new AbortController();

  constructor(parts: ViewerParts, { type, maxWaitingBytes, preamble, filler }: AnswerForm) {
    this.#parts = parts;
    this.#filler = filler;
    this.#waiting = new WaitingChunks(maxWaitingBytes);
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

  take(chunk: Chunk): void {
    this.#waiting.add(chunk);
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

  /** Ends the connection at once: before a close, the bytes on the way would wait for ever as well. */
  giveUp(): void {
    if (this.#isOver) return;
    this.#controller.error(new Error("the client reads nothing"));
    this.#finish();
  }

  async #next(): Promise<void> {
    this.#idleSince = null;
    const bytes = await this.#part();
    if (this.#isOver || !bytes) return;
    this.#idleSince = this.#sentAt = this.#parts.elapsed();
    this.#parts.onsend(bytes.length);
    this.#controller.enqueue(bytes);
  }

  /** The next part; null: there is none any more. */
  async #part(): Promise<Uint8Array<ArrayBuffer> | null> {
    const filler = this.#filler;
    const hasBegun = this.#sentAt > -Infinity;
    await this.#waiting.ready(filler && hasBegun ? NOTHING_MS : Infinity);
    const first = this.#waiting.next();
    if (!filler || (first && first.length >= filler.length)) return first;
    if (first && hasBegun) await sleep(this.#sentAt + SHORT_MS - this.#parts.elapsed(), this.#ended.signal);
    const pieces = first ? [first] : [];
    let length = first?.length ?? 0;
    for (let more; length < filler.length && (more = this.#waiting.next());) {
      pieces.push(more);
      length += more.length;
    }
    return Buffer.concat([...pieces, filler.subarray(0, Math.max(0, filler.length - length))]);
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#ended.abort();
    this.#waiting.end();
    this.#parts.onend();
  }
}
