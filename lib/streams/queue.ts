/** One queue a key: work on the same stream waits for its turn, on different streams it runs side by side. */
export class KeyedQueue {
  #tails = new Map<string, Promise<unknown>>();

  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const result = before.then(work);
    const tail = result.catch(() => {});
    this.#tails.set(key, tail);
    tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    return result;
  }

  isBusy(key: string): boolean {
    return this.#tails.has(key);
  }

  /** Resolves when everything queued so far is done. */
  async settled(): Promise<void> {
    await Promise.all(this.#tails.values());
  }
}
