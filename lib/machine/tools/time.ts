/** Waits and time limits. */
import { errorText, type Level, log } from "./log.ts";

const SECOND_MS = 1000;

/** Resolves after `ms`, or as soon as `signal` aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal?.aborted) return done();
    const wake = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", wake);
      done();
    };
    const timer = setTimeout(wake, ms);
    signal?.addEventListener("abort", wake);
  });
}

/** The result of `work`, which goes on after the limit. @throws the error of `work`; an Error after `ms`. */
export function withTimeout<T>(ms: number, work: Promise<T>, message = "no answer in time"): Promise<T> {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => limit.reject(new Error(message)), ms);
  return Promise.race([work, limit.promise]).finally(() => clearTimeout(timer));
}

/** Whether `event` happens within `ms`; a rejected event does not. */
export function happensWithin(ms: number, event: Promise<unknown>): Promise<boolean> {
  return withTimeout(ms, event).then(() => true, () => false);
}

/**
 * Waits for one work after the other until `signal` aborts; the work itself goes on. A race of each with one lasting
 * promise would not do: that promise keeps everything that ever waited for it.
 * @returns a function that gives the work's result. @throws the work's error; an Error when the signal aborts.
 */
export function waitingUntil(signal: AbortSignal): <T>(work: Promise<T>) => Promise<T> {
  const OVER = "it is over";
  const waits = new Set<(error: Error) => void>();
  signal.addEventListener("abort", () => waits.forEach((reject) => reject(new Error(OVER))), { once: true });
  return (work) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) reject(new Error(OVER));
      else waits.add(reject);
      work.then(resolve, reject).finally(() => waits.delete(reject));
    });
}

/** A loop in the background: a round, a pause, the next round. A round that fails is logged. */
export class Loop {
  #failed: string;
  #level: Level;
  #isStopped = false;
  #pause = new AbortController();
  #running: Promise<void> | null = null;

  /** @param failed the log's message for a round that fails. */
  constructor(failed: string, level: Level = "warn") {
    this.#failed = failed;
    this.#level = level;
  }

  /** Begins the rounds, the first at once. @param pauseMs a function is called after each round. */
  start(pauseMs: number | (() => number), round: () => Promise<void> | void): void {
    this.#running ??= this.#run(typeof pauseMs === "number" ? () => pauseMs : pauseMs, round);
  }

  /** Begins the next round now, or right after the round under way. */
  wake(): void {
    this.#pause.abort();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.wake();
    await this.#running;
  }

  async #run(pauseMs: () => number, round: () => Promise<void> | void): Promise<void> {
    while (!this.#isStopped) {
      this.#pause = new AbortController();
      try {
        await round();
      } catch (error) {
        log(this.#level, this.#failed, { error: errorText(error) });
      }
      await sleep(untilRound(pauseMs(), performance.now()), this.#pause.signal);
    }
  }
}

/**
 * Milliseconds until the next round. Pauses of whole seconds end at whole seconds of the clock, up to half a second
 * sooner or later, so that a process wakes once a second for all its loops. @param now ms of a steady clock.
 */
export function untilRound(pauseMs: number, now: number): number {
  if (pauseMs === 0 || pauseMs % SECOND_MS !== 0) return pauseMs;
  return Math.round((now + pauseMs) / SECOND_MS) * SECOND_MS - now;
}
