import { EventParser } from "./eventParser.ts";
import type { FeedEvent } from "../../lib/model/answers/shapes.ts";

const FIRST_PAUSE_MS = 3000;
const LONGEST_PAUSE_MS = 60_000;
/** The service gives a sign of life every 15 s. */
const SILENT_MS = 40_000;

/** What a reader needs of the page; a test has its own. */
export interface FeedPage {
  isHidden(): boolean;
  /** Calls back once after so many ms. @returns what takes it back. */
  after(ms: number, call: () => void): () => void;
  open(signal: AbortSignal): Promise<Response>;
}

export interface FeedListener {
  /** What was told since the last call, in its order. */
  onnews(news: FeedEvent[]): void;
  /** Nothing more comes for now: the board has to ask. */
  onlost(): void;
}

/**
 * Listens to what the service tells of its streams, while the page is visible. A connection that ends, or says nothing
 * for 40 s, is made again: after 3 s, and after each failure twice that, up to a minute.
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

  /** Whether changes are told: since the first event of a connection, until its end. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** Connects unless it has: at the start, and when the page is seen or online again. A hidden page listens to nothing. */
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
        if (news.length === 0) continue;
        this.#isLive = true;
        this.#pauseMs = FIRST_PAUSE_MS;
        this.#listener.onnews(news);
      }
    } finally {
      cancelSilence();
      connection.abort();
    }
  }
}
