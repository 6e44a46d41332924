/** Channels that another node is about to have: their lists end here, so that none of their segments is left out there. */
import type { StreamId } from "../model/id.ts";

/** The query by which a node asks for the last list of a channel that it is about to have. */
export const LAST = "last";

/** Milliseconds until the channel goes on here, where the other node did not take it after all. */
const HELD_MS = 10_000;

export class LastLists {
  #elapsed: () => number;
  /** The text is that of the first list from then on. */
  #held = new Map<StreamId, { text: string | null; until: number }>();

  /** @param elapsed ms of a steady clock. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** The next list of a channel is its last one. */
  end(id: StreamId): void {
    const known = this.has(id) ? this.#held.get(id)! : null;
    this.#held.set(id, { text: known?.text ?? null, until: this.#elapsed() + HELD_MS });
  }

  /** A channel goes on here, or is no more. */
  forget(id: StreamId): void {
    this.#held.delete(id);
  }

  has(id: StreamId): boolean {
    return this.#elapsed() < (this.#held.get(id)?.until ?? -Infinity);
  }

  /** A channel's list: the last one, where it has ended. @param next the list as it is now. */
  list(id: StreamId, next: () => string): string {
    if (!this.has(id)) return next();
    return this.#held.get(id)!.text ??= next();
  }
}
