/**
 * How a test waits: it looks until it sees what it expects. All looks of a layer have the same patience, which is far
 * above what they take: how long something may take is judged in tests/soak and bench alone.
 */
import assert from "node:assert/strict";

// real ones, also while a test has a fake clock
const { setTimeout, performance } = globalThis;
const realNow = performance.now.bind(performance);

/** Milliseconds until a look has seen enough: here all but the operating system is in this process. */
let patienceMs = 30_000;
/** Milliseconds between two looks. */
let pauseMs = 50;

/** For tests of real programs, which share the machine with others: a look takes time from what is looked at. */
export function waitForPrograms(): void {
  patienceMs = 120_000;
  pauseMs = 250;
}

/** What playwright's own waiting gets. */
export function patience(): number {
  return patienceMs;
}

/** Milliseconds between two looks, for what has a limit of its own. */
export function lookEveryMs(): number {
  return pauseMs;
}

/** Real milliseconds, also while a test has a fake clock; between two looks only. */
function realPause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

/**
 * Looks until it sees `expected`: equal to it, or matched by it if it is a RegExp. @param look may throw meanwhile.
 * @throws {AssertionError} that shows what was seen last; what `look` threw last.
 */
export async function same<Seen>(
  look: () => Seen | Promise<Seen>,
  expected: Seen | RegExp,
  what?: string,
): Promise<void> {
  await settle(async () => {
    const seen = await look();
    if (expected instanceof RegExp && !(seen instanceof RegExp)) assert.match(String(seen), expected, what);
    else assert.deepEqual(seen, expected, what);
  });
}

/**
 * Looks until `check` gives something that is true. @returns it.
 * @throws {Error} with `what` and what was seen last; what `check` threw last.
 */
export async function until<Seen>(
  what: string,
  check: () => Seen | Promise<Seen>,
): Promise<Exclude<Seen, false | null | undefined>> {
  return await settle(async () => {
    const seen = await check();
    if (!seen) throw new Error(`waited in vain for ${what}; seen last: ${Deno.inspect(seen)}`);
    return seen as Exclude<Seen, false | null | undefined>;
  });
}

/** Tries until `attempt` does not throw. @throws what it threw last. */
async function settle<T>(attempt: () => Promise<T>): Promise<T> {
  const end = realNow() + patienceMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (realNow() > end) throw error;
    }
    await realPause(pauseMs);
  }
}
