/** Removes left-over files, also in a service that runs for months: once a day, and after streams were deleted. */
import { log } from "../machine/tools/log.ts";
import type { Part } from "../machine/tools/part.ts";
import { Loop } from "../machine/tools/time.ts";
import type { Timings } from "../timings.ts";

export interface CleaningParts {
  /** The number of streams that were deleted so far. */
  removals(): number;
  /** Removes left-over files. After a rejection, the next call is a day later. */
  clean(): Promise<void>;
  limits: Timings["cleaning"];
  elapsed(): number;
}

export class Cleaning implements Part {
  #parts: CleaningParts;
  #loop = new Loop("files of deleted streams are not removed");
  #cleanedAt: number;
  #removals: number;

  /** Make it just after a clean start. */
  constructor(parts: CleaningParts) {
    this.#parts = parts;
    this.#cleanedAt = parts.elapsed();
    this.#removals = parts.removals();
  }

  start(): void {
    this.#loop.start(this.#parts.limits.checkMs, () => this.round());
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async round(): Promise<void> {
    const { removals, clean, limits, elapsed } = this.#parts;
    const isDue = Math.abs(elapsed() - this.#cleanedAt) >= limits.everyMs;
    if (!isDue && removals() === this.#removals) return;
    this.#cleanedAt = elapsed();
    this.#removals = removals();
    log("debug", "cleaning");
    await clean();
  }
}
