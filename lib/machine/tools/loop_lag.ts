/** The lateness of the event loop's due work, sampled for as long as the service runs. */
import type { Distribution } from "./exposition.ts";
import type { Part } from "./part.ts";
import { Loop } from "./time.ts";

/** Upper bounds, in seconds. No client may make others wait for 50 ms. */
const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export class LoopLag implements Part {
  #everyMs: number;
  /** A steady clock, in ms. */
  #now: () => number;
  #loop = new Loop("event loop not measured");
  #lastAt: number | null = null;
  /** The number of samples for each bound, and beyond the last bound. */
  #counts = new Array<number>(BOUNDS.length + 1).fill(0);
  #sum = 0;

  /** @param everyMs milliseconds from sample to sample. */
  constructor(everyMs: number, now: () => number = () => performance.now()) {
    this.#everyMs = everyMs;
    this.#now = now;
  }

  start(): void {
    this.#loop.start(this.#everyMs, () => this.round());
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Notes the lateness of this round, which was due one interval after the last. */
  round(): void {
    const at = this.#now();
    if (this.#lastAt !== null) this.#note(Math.max(0, at - this.#lastAt - this.#everyMs) / 1000);
    this.#lastAt = at;
  }

  /** Seconds of lateness since the start. */
  distribution(): Distribution {
    let count = 0;
    const buckets = BOUNDS.map((bound, at) => ({ bound, count: count += this.#counts[at] }));
    return { buckets, count: count + this.#counts[BOUNDS.length], sum: this.#sum };
  }

  #note(seconds: number): void {
    const at = BOUNDS.findIndex((bound) => seconds <= bound);
    this.#counts[at < 0 ? BOUNDS.length : at]++;
    this.#sum += seconds;
  }
}
