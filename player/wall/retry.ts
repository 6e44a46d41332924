/** When a slot that cannot be played is tried again. Pure. */

const FIRST_MS = 1000;
const LONGEST_MS = 60_000;

/** Doubled each time, and no two slots at once. @param failures in a row, from 1. @param chance from 0 to 1. */
export function retryMs(failures: number, chance: number): number {
  const pause = Math.min(LONGEST_MS, FIRST_MS * Math.pow(2, Math.min(failures - 1, 10)));
  return pause * (0.75 + chance / 2);
}
