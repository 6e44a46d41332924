/** Long computations in steps, between which others have their turn. */

/** How long a computation goes on without a break; with its longest step it must stay below 50 ms. */
const TURN_MS = 10;

/** A computation that yields wherever it may be interrupted. */
export type Steps<Result> = Generator<void, Result>;

/** The result, at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The result, with breaks: a client's large request must not keep the others waiting. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (const turn = new Turn();;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (turn.isOver) await turn.pause();
  }
}

/** The time that one computation has before others are due. */
export class Turn {
  #since = performance.now();
  #lastsMs: number;

  constructor(lastsMs = TURN_MS) {
    this.#lastsMs = lastsMs;
  }

  get isOver(): boolean {
    return performance.now() - this.#since >= this.#lastsMs;
  }

  /** Lets others go first if the turn is over, and begins the next one. */
  async pause(): Promise<void> {
    if (!this.isOver) return;
    await new Promise((next) => setTimeout(next));
    this.#since = performance.now();
  }
}
