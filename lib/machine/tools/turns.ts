/** Long computations in steps, between which other work has its turn. */

/** Milliseconds of a computation without a break; with its longest step they must stay below 50 ms. */
const TURN_MS = 10;

/** A computation that yields wherever it may be interrupted. */
export type Steps<Result> = Generator<void, Result>;

/** The result of the steps, without breaks. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The result of the steps, with breaks: a client's large request must not keep the others waiting. */
export async function inTurns<Result>(steps: Steps<Result>): Promise<Result> {
  for (const turn = new Turn();;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (turn.isOver) await turn.pause();
  }
}

/** The time of one computation before other work is due. */
export class Turn {
  #since = performance.now();
  #lastsMs: number;

  constructor(lastsMs = TURN_MS) {
    this.#lastsMs = lastsMs;
  }

  get isOver(): boolean {
    return performance.now() - this.#since >= this.#lastsMs;
  }

  /** Lets other work go first if the turn is over, and begins the next turn. */
  async pause(): Promise<void> {
    if (!this.isOver) return;
    await new Promise((next) => setTimeout(next));
    this.#since = performance.now();
  }
}

/**
 * An object's JSON, made in turns: the heartbeats of a thousand streams take 30 ms, and those for their files 100. A key whose
 * value is undefined by then is left out.
 */
export async function objectText(keys: Iterable<string>, valueOf: (key: string) => unknown): Promise<string> {
  const turn = new Turn();
  const texts: string[] = [];
  for (const key of [...keys]) {
    const value = JSON.stringify(valueOf(key));
    if (value !== undefined) texts.push(`${JSON.stringify(key)}:${value}`);
    await turn.pause();
  }
  return `{${texts}}`;
}
