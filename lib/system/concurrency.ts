/** Lets only so many pieces of work go on at once; the others wait, first come first served. */
export class Turns {
  #free: number;
  #waiting: (() => void)[] = [];

  constructor(sideBySide: number) {
    this.#free = sideBySide;
  }

  /** How many could begin right now. */
  get free(): number {
    return this.#free;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((begin) => this.#waiting.push(begin));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
