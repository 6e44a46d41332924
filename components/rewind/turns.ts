/** Lets a page's questions about the past go a few at a time, what is seen first: a wall of twenty holds nobody up. */

/** Pictures are in front of somebody, sheets are for those who may point at the bar later. */
const KINDS = ["picture", "changes", "sheet"] as const;
type Kind = typeof KINDS[number];

/** At once. The service makes two pictures and one sheet at a time; a third picture is on its way meanwhile. */
const MOST: Readonly<Record<Kind, number>> = { picture: 3, changes: 2, sheet: 1 };

export class Turns {
  #waiting: Record<Kind, (() => void)[]> = { picture: [], changes: [], sheet: [] };
  #running: Record<Kind, number> = { picture: 0, changes: 0, sheet: 0 };

  /** Asks when it is its turn. */
  async run<Answer>(kind: Kind, ask: () => Promise<Answer>): Promise<Answer> {
    await new Promise<void>((begin) => {
      this.#waiting[kind].push(begin);
      this.#next();
    });
    try {
      return await ask();
    } finally {
      this.#running[kind]--;
      this.#next();
    }
  }

  #next(): void {
    for (const kind of KINDS) {
      // a sheet takes the processor from pictures that somebody waits for
      if (kind === "sheet" && this.#running.picture > 0) return;
      while (this.#running[kind] < MOST[kind] && this.#waiting[kind].length > 0) {
        this.#running[kind]++;
        this.#waiting[kind].shift()!();
      }
    }
  }
}
