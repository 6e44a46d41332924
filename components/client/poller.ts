const SLOWEST_MS = 30_000;

/** What a poller needs of the page; a test has its own. */
export interface PollerPage {
  isHidden(): boolean;
  /** Calls back once after so many ms. @returns what takes it back. */
  after(ms: number, call: () => void): () => void;
}

/**
 * Calls `poll` again and again, never twice at a time: `every` ms after the last answer; failures double the pause
 * up to 30 s. A hidden page is not polled; it must call `now` when it is seen again.
 */
export class Poller {
  readonly #poll: () => Promise<void>;
  readonly #every: number;
  readonly #page: PollerPage;
  #pause: number;
  #forget = () => {};
  #isPolling = false;
  #isWanted = false;
  #isOver = false;

  constructor(poll: () => Promise<void>, every: number, page: PollerPage) {
    this.#poll = poll;
    this.#every = this.#pause = every;
    this.#page = page;
    this.#wait();
  }

  /** Polls at once; during a poll, right after it, as that one may have been answered too early. */
  async now(): Promise<void> {
    this.#forget();
    if (this.#isOver || this.#page.isHidden()) return;
    this.#isWanted = true;
    if (this.#isPolling) return;
    this.#isPolling = true;
    while (this.#isWanted && !this.#isOver) {
      this.#isWanted = false;
      try {
        await this.#poll();
        this.#pause = this.#every;
      } catch {
        this.#pause = Math.min(this.#pause * 2, SLOWEST_MS);
      }
    }
    this.#isPolling = false;
    if (!this.#isOver) this.#wait();
  }

  stop(): void {
    this.#isOver = true;
    this.#forget();
  }

  #wait(): void {
    this.#forget = this.#page.after(this.#pause, () => this.now());
  }
}
