/** The limit of a peer's cost, whatever the peer sends: empty parts cost the peer nothing, and us as much as others. */
import { sleep } from "./time.ts";

export interface BudgetLimits {
  /** The peer's cost per second in the long run. */
  perSecond: number;
  /** The peer's cost at once after a quiet time. */
  burst: number;
  /** Milliseconds that the peer may be over its budget without a break; absent: no limit. */
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

  /** Takes a cost from the budget. @returns milliseconds until some budget is left again; 0: some is left. */
  spend(cost: number): number {
    const { perSecond, burst } = this.#limits;
    const now = performance.now();
    this.#left = Math.min(burst, this.#left + (now - this.#at) / 1000 * perSecond) - cost;
    this.#at = now;
    return this.#left > 0 ? 0 : Math.ceil(-this.#left / perSecond * 1000) + 1;
  }

  /**
   * Takes a cost, and resolves when more may be taken; at once, in the same turn, as long as some budget is left.
   * @throws {Error} when the peer has been over its budget for too long.
   */
  async pay(cost: number): Promise<void> {
    const ms = this.spend(cost);
    this.#overMs = ms === 0 ? 0 : this.#overMs + ms;
    if (this.#overMs > (this.#limits.overMs ?? Infinity)) throw new Error("over its budget for too long");
    if (ms > 0) await sleep(ms);
  }
}
