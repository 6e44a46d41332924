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
  for (let since = performance.now();;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - since < TURN_MS) continue;
    await new Promise((next) => setTimeout(next));
    since = performance.now();
  }
}
