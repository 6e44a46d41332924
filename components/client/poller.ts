const MAX_PAUSE_MS = 30_000;

/** The functions that a poller needs of the page; a test has its own. */
export interface PollerPage {
  isHidden(): boolean;
  /** Calls back once after so many ms. @returns a function that cancels the call. */
  after(ms: number, call: () => void): () => void;
}

/** @param isAsked whether the poll was requested; false: it was due. */
export type Poll = (isAsked: boolean) => Promise<void>;

/**
 * Calls `poll` again and again, never twice at a time: `everyMs` after the last answer; failures double the pause
 * up to 30 s. A hidden page does not poll; it must call `now` when it is visible again.
 */
export class Poller {
  readonly #poll: Poll;
  readonly #everyMs: number;
  readonly #page: PollerPage;
  #pauseMs: number;
  #cancelWait = () => {};
  #isPolling = false;
  #isRequested = false;
  #isAsked = false;
  #isOver = false;

  constructor(poll: Poll, everyMs: number, page: PollerPage) {
    this.#poll = poll;
    this.#everyMs = this.#pauseMs = everyMs;
    this.#page = page;
    this.#wait();
  }

  /** Polls at once; during a poll, right after it, as the running poll may have been answered too early. */
  async now(): Promise<void> {
    await this.#request(true);
  }

  async #request(isAsked: boolean): Promise<void> {
    this.#cancelWait();
    if (this.#isOver || this.#page.isHidden()) return;
    this.#isRequested = true;
    this.#isAsked ||= isAsked;
    if (this.#isPolling) return;
    this.#isPolling = true;
    while (this.#isRequested && !this.#isOver) {
      const isAskedFor = this.#isAsked;
      this.#isRequested = this.#isAsked = false;
      try {
        await this.#poll(isAskedFor);
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
    this.#cancelWait = this.#page.after(this.#pauseMs, () => this.#request(false));
  }
}
