/** What tests with real programs measure: printed for the table at the end of a run, and asserted in soak and bench alone. */

/** Tells how long something took. @param seconds of a steady clock. */
export function tellTime(what: string, seconds: number): void {
  console.log(`TIME ${what} ${seconds.toFixed(1)}`);
}

/** What `work` gives; how long it took is told. */
export async function timed<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const from = performance.now();
  const result = await work();
  tellTime(what, (performance.now() - from) / 1000);
  return result;
}
