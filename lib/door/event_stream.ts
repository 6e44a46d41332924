/**
 * One client's connection for server-sent events. Nothing is made before the client has taken what came before, so a
 * slow one holds one piece, however much there is to tell.
 * Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
 */

export const EVENT_STREAM_TYPE = "text/event-stream";

export const EVENT_STREAM_HEADERS: Readonly<Record<string, string>> = {
  "content-type": EVENT_STREAM_TYPE,
  // compressed or collected, it would come late
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

/** A comment: by it a client knows that nothing is held back on the way, and proxies do not end the connection. */
const BEAT = ": still here\n";
/** The later ones are as long as it takes to see whether a client reads (lib/machine/net/silent_clients.ts). */
const LONG_BEAT = `: still here${" ".repeat(4000)}\n`;

/** The first sign of life comes so soon, and apart from what came before: a proxy that collects the answer keeps it. */
const FIRST_BEAT_MS = 1000;

/** So many ms after a connection has ended, clients that connect again by themselves do. */
const RETRY = "retry: 3000\n\n";

export interface EventStreamLimits {
  /** Between two signs of life, whatever else is told. */
  beatMs: number;
  /** A client that takes nothing for so long is given up. */
  silentMs: number;
  /** A connection lasts no longer: a client that may not connect any more is out by then. */
  longestMs: number;
}

export interface EventStreamParts {
  /** The news, some 64 KiB at most; "": there is none. It is asked again after each piece, and after `wake`. */
  take(): string;
  /** Is waited for before each piece: lets others have their turn now and then. */
  pause(): Promise<void>;
  /** Milliseconds for which the client has read nothing of the bytes at its machine; 0 where that is not known. */
  idleMs(): number;
  /** The connection is over, for whatever reason. */
  onend(): void;
  limits: EventStreamLimits;
}

/** An event as it is sent. @param json of one line, as JSON.stringify writes it. */
export function eventText(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`;
}

export class EventStream {
  readonly response: Response;
  #parts: EventStreamParts;
  #controller!: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  #endsAt: number;
  #beatAt: number;
  #beat = BEAT;
  #isOver = false;
  #wake = () => {};
  /** Runs while a client takes nothing. */
  #givingUp: ReturnType<typeof setTimeout> | undefined;

  constructor(parts: EventStreamParts) {
    this.#parts = parts;
    const { longestMs, beatMs } = parts.limits;
    this.#endsAt = performance.now() + longestMs;
    this.#beatAt = performance.now() + Math.min(FIRST_BEAT_MS, beatMs);
    let isFirst = true;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        this.#controller = controller;
      },
      pull: async () => {
        const text = isFirst ? RETRY : await this.#next();
        isFirst = false;
        if (this.#isOver) return;
        this.#controller.enqueue(new TextEncoder().encode(text));
        // a client that has gone cancels within that call
        if (!this.#isOver) this.#givingUp = setTimeout(() => this.#giveUp(), parts.limits.silentMs);
      },
      cancel: () => this.#finish(),
    }, { highWaterMark: 0 });
    this.response = new Response(body, { headers: EVENT_STREAM_HEADERS });
  }

  /** There is something to take. */
  wake(): void {
    this.#wake();
  }

  /** Ends the connection; the client may come again. */
  end(): void {
    if (this.#isOver) return;
    this.#controller.close();
    this.#finish();
  }

  /** The next piece, as soon as there is one; a sign of life until then. "": the connection is over. */
  async #next(): Promise<string> {
    clearTimeout(this.#givingUp);
    for (;;) {
      await this.#parts.pause();
      if (performance.now() >= this.#endsAt) this.end();
      const text = this.#isOver ? "" : this.#told();
      if (this.#isOver || text !== "") return text;
      const leftMs = Math.min(this.#beatAt, this.#endsAt) - performance.now();
      await new Promise<void>((wake) => {
        const timer = setTimeout(wake, leftMs);
        this.#wake = () => {
          clearTimeout(timer);
          wake();
        };
      });
      this.#wake = () => {};
    }
  }

  /** The news now, with a sign of life where one is due; "": there is none. */
  #told(): string {
    const text = this.#parts.take();
    const now = performance.now();
    if (now < this.#beatAt) return text;
    if (this.#parts.idleMs() > this.#parts.limits.silentMs) this.#giveUp();
    const beat = this.#beat;
    [this.#beat, this.#beatAt] = [LONG_BEAT, now + this.#parts.limits.beatMs];
    // within an event, an empty line would be its end
    return text === "" ? `${beat}\n` : text + beat;
  }

  /** Not closed: before a close, the bytes on the way would wait for ever as well. */
  #giveUp(): void {
    if (this.#isOver) return;
    this.#controller.error(new Error("the client reads nothing"));
    this.#finish();
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#givingUp);
    this.#wake();
    this.#parts.onend();
  }
}
