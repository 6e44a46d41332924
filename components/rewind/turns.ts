/** Lets a page's questions about the past go a few at a time, what is seen first: a wall of twenty holds nobody up. */

/** In order of their rank: pictures are in front of somebody, the flow is played, sheets are for those who may point later. */
const KINDS = ["picture", "changes", "flow", "sheet"] as const;
export type Kind = typeof KINDS[number];

/** At once. The service makes two pictures and one sheet at a time; a third picture is on its way meanwhile. */
const MOST: Readonly<Record<Kind, number>> = { picture: 3, changes: 2, flow: 1, sheet: 1 };

export class Turns {
  #waiting: Record<Kind, (() => void)[]> = { picture: [], changes: [], flow: [], sheet: [] };
  #running: Record<Kind, number> = { picture: 0, changes: 0, flow: 0, sheet: 0 };
  #isPlaying = false;

  /** While something is played no sheets are asked for: the service makes film and sheets one after the other. */
  setPlaying(isPlaying: boolean): void {
    this.#isPlaying = isPlaying;
    this.#next();
  }

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
      while (this.#mayBegin(kind) && this.#waiting[kind].length > 0) {
        this.#running[kind]++;
        this.#waiting[kind].shift()!();
      }
    }
  }

  #mayBegin(kind: Kind): boolean {
    const running = this.#running;
    if (running[kind] >= MOST[kind]) return false;
    if (kind === "flow") return running.sheet === 0;
    // a sheet takes the processor from pictures that somebody waits for
    return kind !== "sheet" || !this.#isPlaying && running.flow === 0 && running.picture === 0;
  }
}
