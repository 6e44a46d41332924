/** The life of the programs that stay processes of ours. */
/** Does a helper's work until a signal to end, and then ends at once, whatever the helper waits for. */
export async function untilTerminated(work: (signal: AbortSignal) => Promise<void>): Promise<never> {
  const terminated = new AbortController();
  const told = new Promise<void>((done) => terminated.signal.addEventListener("abort", () => done()));
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    Deno.addSignalListener(name, () => terminated.abort());
  }
  await Promise.race([work(terminated.signal), told]);
  Deno.exit(0);
}
