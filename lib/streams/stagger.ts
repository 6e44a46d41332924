import { Turns } from "../system/concurrency.ts";

/** Work in the background, a few at a time, in the order it was asked for; it can be ended. */
export class Stagger {
  #turns: Turns;
  #under = new Set<Promise<void>>();
  #hasEnded = false;

  /** @param sideBySide how much is under way at once. */
  constructor(sideBySide: number) {
    this.#turns = new Turns(sideBySide);
  }

  /** Does the work when its turn comes; resolves when it is done, or will never be. @throws what the work throws. */
  async run(work: () => Promise<void>): Promise<void> {
    const done = this.#turns.run(async () => {
      if (!this.#hasEnded) await work();
    });
    const settled = done.catch(() => {}).then(() => {
      this.#under.delete(settled);
    });
    this.#under.add(settled);
    await done;
  }

  /** Begins nothing more; what is under way ends as usual. */
  end(): void {
    this.#hasEnded = true;
  }

  /** Resolves when everything asked for so far is done. */
  async settled(): Promise<void> {
    await Promise.all(this.#under);
  }
}
