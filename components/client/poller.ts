const MAX_PAUSE_MS = 30_000;

/** What a poller needs of the page; a test has its own. */
export interface PollerPage {
  isHidden(): boolean;
  /** Calls back once after so many ms. @returns what takes it back. */
  after(ms: number, call: () => void): () => void;
}

/**
 * Calls `poll` again and again, never twice at a time: `everyMs` after the last answer; failures double the pause
 * up to 30 s. A hidden page is not polled; it must call `now` when it is seen again.
 */
export class Poller {
  readonly #poll: () => Promise<void>;
  readonly #everyMs: number;
  readonly #page: PollerPage;
  #pauseMs: number;
  #cancelWait = () => {};
  #isPolling = false;
  #isRequested = false;
  #isOver = false;

  constructor(poll: () => Promise<void>, everyMs: number, page: PollerPage) {
    this.#poll = poll;
    this.#everyMs = this.#pauseMs = everyMs;
    this.#page = page;
    this.#wait();
  }

  /** Polls at once; during a poll, right after it, as that one may have been answered too early. */
  async now(): Promise<void> {
    this.#cancelWait();
    if (this.#isOver || this.#page.isHidden()) return;
    this.#isRequested = true;
    if (this.#isPolling) return;
    this.#isPolling = true;
    while (this.#isRequested && !this.#isOver) {
      this.#isRequested = false;
      try {
        await this.#poll();
        this.#pauseMs = this.#everyMs;
      } catch {
        this.#pauseMs = Math.min(this.#pauseMs * 2, MAX_PAUSE_MS);
      }
    }
    this.#isPolling = false;
    if (!this.#isOver) this.#wait();
  }

  stop(): void {
    this.#isOver = true;
    this.#cancelWait();
  }

  #wait(): void {
    this.#cancelWait = this.#page.after(this.#pauseMs, () => this.now());
  }
}
