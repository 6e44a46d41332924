/** How much work goes on at once. */

/** Lets only so many pieces of work go on at once; the others wait, first come first served. */
export class Semaphore {
  #free: number;
  #waiting: (() => void)[] = [];

  constructor(sideBySide: number) {
    this.#free = sideBySide;
  }

  /** How many could start right now. */
  get free(): number {
    return this.#free;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((start) => this.#waiting.push(start));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}

/** Work in the background, a few at a time, in the order it was asked for; it can be stopped. */
export class BackgroundQueue {
  #semaphore: Semaphore;
  #under = new Set<Promise<void>>();
  #hasEnded = false;

  /** @param sideBySide how much is under way at once. */
  constructor(sideBySide: number) {
    this.#semaphore = new Semaphore(sideBySide);
  }

  /** Does the work after what waits already; resolves when it is done, or never will be. @throws what the work throws. */
  async run(work: () => Promise<void>): Promise<void> {
    const done = this.#semaphore.run(async () => {
      if (!this.#hasEnded) await work();
    });
    const settled = done.catch(() => {}).then(() => {
      this.#under.delete(settled);
    });
    this.#under.add(settled);
    await done;
  }

  /** Starts nothing more; what is under way ends as usual. */
  stop(): void {
    this.#hasEnded = true;
  }

  /** Resolves when everything asked for so far is done. */
  async settled(): Promise<void> {
    await Promise.all(this.#under);
  }
}

/** Work that waits, and its askers. */
interface Waiting {
  kind: string | undefined;
  result: Promise<unknown>;
  /** One for each asker; undefined: wants it whatever happens. */
  askers: (AbortSignal | undefined)[];
}

export interface WorkOptions {
  /** Work of the same kind that was asked for just before, and has not begun, does for this as well. */
  kind?: string;
  /**
   * The asker, such as a Request: work that all have left is not begun. The signal is read only when the work has to
   * wait, because Deno warns of a request's.
   */
  client?: { readonly signal: AbortSignal };
  /** When so many pieces of work wait already, this one is refused. */
  most?: number;
}

/** Work was not begun; the message says why. */
export class NotBegunError extends Error {
  override name = "NotBegunError";
}

/** Work that is done one after the other. */
export class WorkQueue {
  #tail: Promise<unknown> | null = null;
  /** In their order, without the one that is under way. */
  #waiting: Waiting[] = [];

  /** @throws {NotBegunError} when too many wait, or all askers have left before it began. */
  run<Result>(
    work: () => Promise<Result>,
    { kind, client, most = Infinity }: WorkOptions = {},
  ): Promise<Result> {
    const last = this.#waiting.at(-1);
    if (kind !== undefined && last?.kind === kind) {
      last.askers.push(client?.signal);
      return last.result as Promise<Result>;
    }
    if (this.#waiting.length >= most) {
      return Promise.reject(new NotBegunError("too much waits already"));
    }
    const before = this.#tail ?? Promise.resolve();
    const entry: Waiting = { kind, askers: [this.isBusy ? client?.signal : undefined], result: before };
    const result = before.then(() => {
      this.#waiting.shift();
      if (entry.askers.every((asker) => asker?.aborted)) throw new NotBegunError("who asked for it has left");
      return work();
    });
    entry.result = result;
    this.#waiting.push(entry);
    const tail = result.catch(() => {});
    this.#tail = tail;
    tail.then(() => {
      if (this.#tail === tail) this.#tail = null;
    });
    return result;
  }

  get isBusy(): boolean {
    return this.#tail !== null;
  }

  /** Resolves when everything queued so far is done. */
  async settled(): Promise<void> {
    await this.#tail;
  }
}

/** One queue for each key: different keys go side by side. */
export class KeyedQueue {
  #queues = new Map<string, WorkQueue>();

  /** Does the work after what waits for the same key. @throws what it throws. */
  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(key) ?? new WorkQueue();
    this.#queues.set(key, queue);
    const result = queue.run(work);
    void queue.settled().then(() => {
      if (!queue.isBusy && this.#queues.get(key) === queue) this.#queues.delete(key);
    });
    return result;
  }
}
