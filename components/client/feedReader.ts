import { EventParser } from "./eventParser.ts";
import type { FeedEvent } from "../../lib/model/answers/shapes.ts";

const FIRST_PAUSE_MS = 3000;
const LONGEST_PAUSE_MS = 60_000;
/** The service gives a sign of life after 1 s, and then every 4 s. */
const SILENT_MS = 12_000;

/** The functions that a reader needs of the page; a test has its own. */
export interface FeedPage {
  isHidden(): boolean;
  /** Calls back once after so many ms. @returns a function that cancels the call. */
  after(ms: number, call: () => void): () => void;
  open(signal: AbortSignal): Promise<Response>;
}

export interface FeedListener {
  /** The news since the last call, in the service's order. */
  onnews(news: FeedEvent[]): void;
  /** The feed has ended for now: the board has to poll. */
  onlost(): void;
}

/**
 * Listens to the service's news of its streams while the page is visible. A connection that ends, or is silent for
 * 12 s, is made again after 3 s. The pause doubles after each failure, up to a minute. News alone do not say that a
 * connection works: a proxy that collects the answer may let some pass, and hold back the next ones.
 */
export class FeedReader {
  readonly #listener: FeedListener;
  readonly #page: FeedPage;
  #pauseMs = FIRST_PAUSE_MS;
  #connection: AbortController | null = null;
  #cancelWait = () => {};
  #isLive = false;
  #isOver = false;

  constructor(listener: FeedListener, page: FeedPage) {
    this.#listener = listener;
    this.#page = page;
  }

  /** Whether the service reports changes: from a connection's first sign of life until its end. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** Connects if not connected: at the start, when the page is visible or online again. Hidden pages do not listen. */
  now(): void {
    if (this.#isOver) return;
    if (this.#page.isHidden()) return this.#disconnect();
    if (this.#connection) return;
    this.#cancelWait();
    const connection = this.#connection = new AbortController();
    this.#listen(connection).catch(() => {}).then(() => {
      if (this.#connection !== connection) return;
      const wasLive = this.#isLive;
      this.#disconnect();
      this.#cancelWait = this.#page.after(this.#pauseMs, () => this.now());
      this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
      if (wasLive) this.#listener.onlost();
    });
  }

  stop(): void {
    this.#isOver = true;
    this.#disconnect();
  }

  #disconnect(): void {
    this.#cancelWait();
    this.#connection?.abort();
    this.#connection = null;
    this.#isLive = false;
  }

  /** Resolves or rejects at the connection's end. */
  async #listen(connection: AbortController): Promise<void> {
    const { signal } = connection;
    let cancelSilence = this.#page.after(SILENT_MS, () => connection.abort());
    try {
      const { ok, body } = await this.#page.open(signal);
      const reader = ok ? body?.getReader() : undefined;
      if (!reader) throw new Error("no events");
      const decoder = new TextDecoder();
      const parser = new EventParser();
      for (;;) {
        const { done, value } = await reader.read();
        if (done || signal.aborted) return;
        cancelSilence();
        cancelSilence = this.#page.after(SILENT_MS, () => connection.abort());
        const news = parser.push(decoder.decode(value, { stream: true }))
          .map(({ name, data }) => ({ name, data: JSON.parse(data) }) as FeedEvent);
        if (parser.comments > 0) {
          this.#isLive = true;
          this.#pauseMs = FIRST_PAUSE_MS;
        }
        if (news.length > 0) this.#listener.onnews(news);
      }
    } finally {
      cancelSilence();
      connection.abort();
    }
  }
}
