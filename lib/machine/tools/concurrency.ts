/** Limits and queues for work that goes on at once. */

/** Lets only so many pieces of work go on at once; the others wait, first come first served. */
export class Semaphore {
  #free: number;
  #waiting: (() => void)[] = [];

  constructor(sideBySide: number) {
    this.#free = sideBySide;
  }

  /** The number of pieces of work that could start right now. */
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

/** Work in the background, a few pieces at a time, in the order of the calls; the queue can be stopped. */
export class BackgroundQueue {
  #semaphore: Semaphore;
  #under = new Set<Promise<void>>();
  #hasEnded = false;

  /** @param sideBySide the most pieces of work at once. */
  constructor(sideBySide: number) {
    this.#semaphore = new Semaphore(sideBySide);
  }

  /** Does the work after all waiting work; resolves when the work is done or dropped. @throws the work's error. */
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

  /** Starts no new work; work under way ends as usual. */
  stop(): void {
    this.#hasEnded = true;
  }

  /** Resolves when all work so far is done. */
  async settled(): Promise<void> {
    await Promise.all(this.#under);
  }
}

/** Work that waits, and its askers. */
interface Waiting {
  kind: string | undefined;
  result: Promise<unknown>;
  /** A signal for each asker; undefined: the asker always wants the result. */
  askers: (AbortSignal | undefined)[];
}

export interface WorkOptions {
  /** The kind of the work: the last waiting work of the same kind, not begun yet, serves this call as well. */
  kind?: string;
  /**
   * The asker, such as a Request: work whose askers have all left is not begun. The signal is read only when the work
   * has to wait, because Deno warns of a request's signal.
   */
  client?: { readonly signal: AbortSignal };
  /** The number of waiting pieces of work at which this one is refused. */
  most?: number;
}

/** Work was not begun; the message says why. */
export class NotBegunError extends Error {
  override name = "NotBegunError";
}

/** Does one piece of work after the other. */
export class WorkQueue {
  #tail: Promise<unknown> | null = null;
  /** The waiting work in its order, without the work under way. */
  #waiting: Waiting[] = [];

  /** @throws {NotBegunError} when too much work waits, or all askers have left before the work began. */
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
      if (entry.askers.every((asker) => asker?.aborted)) throw new NotBegunError("its client has left");
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

  /** Resolves when all queued work so far is done. */
  async settled(): Promise<void> {
    await this.#tail;
  }
}

/**
 * Gathers the items that come while it works, and does them together afterwards: for work that costs the same for one item
 * and for many.
 */
export class Gathering<Item> {
  #work: (items: Item[]) => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  /** The items of the next work, and its end. */
  #next: { items: Item[]; done: Promise<void> } | null = null;

  /** @param work is for one item at least. */
  constructor(work: (items: Item[]) => Promise<void>) {
    this.#work = work;
  }

  /** @throws the error of the work that the item was part of. */
  run(item: Item): Promise<void> {
    const next = this.#next ??= this.#begun();
    next.items.push(item);
    return next.done;
  }

  #begun(): { items: Item[]; done: Promise<void> } {
    const items: Item[] = [];
    const done = this.#last.then(() => {
      this.#next = null;
      return this.#work(items);
    });
    this.#last = done.catch(() => {});
    return { items, done };
  }
}

/** One queue for each key: different keys go side by side. */
export class KeyedQueue {
  #queues = new Map<string, WorkQueue>();

  /** Does the work after the waiting work of the same key. @throws the work's error. */
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
