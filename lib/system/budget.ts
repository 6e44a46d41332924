/** What a peer may cost in a while, whatever it sends: empty parts cost it nothing, and us as much as others. */
import { sleep } from "./time.ts";

export interface BudgetLimits {
  /** What it costs in the long run, in a second. */
  perSecond: number;
  /** What it may cost at once after a quiet time. */
  burst: number;
  /** Milliseconds that it may be over its budget without a break; without limit when absent. */
  overMs?: number;
}

export class Budget {
  readonly #limits: BudgetLimits;
  #left: number;
  #at = performance.now();
  #overMs = 0;

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
    this.#left = limits.burst;
  }

  /** Takes a cost from what is left. @returns milliseconds until something is left again: 0 as long as something is. */
  spend(cost: number): number {
    const { perSecond, burst } = this.#limits;
    const now = performance.now();
    this.#left = Math.min(burst, this.#left + (now - this.#at) / 1000 * perSecond) - cost;
    this.#at = now;
    return this.#left > 0 ? 0 : Math.ceil(-this.#left / perSecond * 1000) + 1;
  }

  /**
   * Takes a cost, and resolves when more may be taken; at once, in the same turn, as long as something is left.
   * @throws {Error} when it has been over its budget for too long.
   */
  async pay(cost: number): Promise<void> {
    const ms = this.spend(cost);
    this.#overMs = ms === 0 ? 0 : this.#overMs + ms;
    if (this.#overMs > (this.#limits.overMs ?? Infinity)) throw new Error("over its budget for too long");
    if (ms > 0) await sleep(ms);
  }
}
