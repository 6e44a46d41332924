/** Waiting, with an end. */

/** Waits so many milliseconds, at most until `signal` aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal?.aborted) return done();
    const timer = setTimeout(end, ms);
    function end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      done();
    }
    signal?.addEventListener("abort", end);
  });
}

/** A loop in the background: a round, a pause, the next round. */
export class Loop {
  #stop = new AbortController();
  #running: Promise<void> | null = null;

  /** Begins the rounds, the first at once. @param round must not reject. */
  start(everyMs: number, round: () => Promise<void> | void): void {
    this.#running ??= this.#run(everyMs, round);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(everyMs: number, round: () => Promise<void> | void): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await round();
      await sleep(everyMs, this.#stop.signal);
    }
  }
}
