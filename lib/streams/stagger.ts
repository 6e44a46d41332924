/** Work in the background, a few at a time, in the order it was asked for. */
export class Stagger {
  #free: number;
  #waiting: (() => void)[] = [];
  #under = new Set<Promise<void>>();
  #hasEnded = false;

  /** @param sideBySide how much is under way at once. */
  constructor(sideBySide: number) {
    this.#free = sideBySide;
  }

  /** Does the work when its turn comes; resolves when it is done, or will never be. @throws what the work throws. */
  async run(work: () => Promise<void>): Promise<void> {
    const done = this.#inTurn(work);
    const settled = done.catch(() => {}).then(() => {
      this.#under.delete(settled);
    });
    this.#under.add(settled);
    await done;
  }

  /** Begins nothing more; what is under way ends as usual. */
  end(): void {
    this.#hasEnded = true;
    this.#waiting.splice(0).forEach((begin) => begin());
  }

  /** Resolves when everything asked for so far is done. */
  async settled(): Promise<void> {
    await Promise.all(this.#under);
  }

  async #inTurn(work: () => Promise<void>): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((begin) => this.#waiting.push(begin)); // the place is handed on
    try {
      if (!this.#hasEnded) await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
