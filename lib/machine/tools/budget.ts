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

/** The bytes that code in a stream's browser may cost: a page that writes much to its console writes some MB a second. */
export const PEER_BUDGET: BudgetLimits = { perSecond: 16 * 1024 * 1024, burst: 4 * 1024 * 1024 };

/** Bytes that a message costs beside its length: a message is read and passed on in some microseconds. */
export const MESSAGE_COST = 512;

/** Bytes that a read costs beside its length. Who sends faster than we read fills each read, and pays for few. */
export const READ_COST = 4096;

export class Budget {
  readonly #limits: BudgetLimits;
  readonly #signal: AbortSignal | undefined;
  #left: number;
  #at = performance.now();
  #overMs = 0;

  /** @param signal ends all waits: whoever pays is about to end. */
  constructor(limits: BudgetLimits, signal?: AbortSignal) {
    this.#limits = limits;
    this.#signal = signal;
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

  /** Takes a cost if some budget is left. @returns whether it was. */
  take(cost: number): boolean {
    const isLeft = this.spend(0) === 0;
    if (isLeft) this.spend(cost);
    return isLeft;
  }

  /**
   * Takes a cost, and resolves when more may be taken; at once, in the same turn, as long as some budget is left.
   * @throws {Error} when the peer has been over its budget for too long.
   */
  async pay(cost: number): Promise<void> {
    const ms = this.spend(cost);
    this.#overMs = ms === 0 ? 0 : this.#overMs + ms;
    if (this.#overMs > (this.#limits.overMs ?? Infinity)) throw new Error("over its budget for too long");
    if (ms > 0) await sleep(ms, this.#signal);
  }
}
