/** Waiting with a limit, for tests in which how long something takes is what is tested: tests/soak, tests/image and bench. */

/** Waits until `check` says yes. @throws {Error} naming `what` after `limitMs`; what `check` throws last. */
export async function within(
  what: string,
  limitMs: number,
  check: () => Promise<unknown> | unknown,
  everyMs = 100,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!await check()) {
    if (performance.now() > end) throw new Error(`waited ${limitMs / 1000} s for ${what}`);
    await pause(everyMs);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
