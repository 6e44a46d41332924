/** The last list of a channel that another node is about to have: it ends here, so that no segment is left out there. */

/** The query by which a node asks for the last list of a channel that it is about to have. */
export const LAST = "last";

/** Milliseconds until the channel goes on here, where the other node did not take it after all. */
const HELD_MS = 10_000;

export class LastList {
  #elapsed: () => number;
  /** The text is that of the first list from the end on. */
  #held: { text: string | null; until: number } | null = null;

  /** @param elapsed ms of a steady clock. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Whether the channel's list has ended. */
  get isHeld(): boolean {
    return this.#held !== null && this.#elapsed() < this.#held.until;
  }

  /** The channel's next list is its last one. */
  end(): void {
    const text = this.isHeld ? this.#held!.text : null;
    this.#held = { text, until: this.#elapsed() + HELD_MS };
  }

  /** The channel goes on here. */
  release(): void {
    this.#held = null;
  }

  /** The channel's list: the last one, where it has ended. @param next the list as it is now. */
  list(next: () => string): string {
    return this.isHeld ? this.#held!.text ??= next() : next();
  }
}
