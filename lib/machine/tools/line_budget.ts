/** The rate of equal lines in a log, with a count of the lines that were left out. Pure. */

/** Milliseconds for which a message's lines are counted. */
export const LINES_MS = 60_000;

interface Lines {
  /** When the first one was written, ms of the steady clock. */
  since: number;
  written: number;
  /** The lines that were left out since then. */
  left: number;
}

export class LineBudget {
  /** By message: texts of ours, which are not many. */
  #lines = new Map<string, Lines>();

  /** @param most lines of this message a minute. @returns how many were left out before this one; null: this one is, too. */
  take(message: string, most: number, now: number): number | null {
    const known = this.#lines.get(message);
    const isOver = known === undefined || now - known.since >= LINES_MS;
    const lines = isOver ? { since: now, written: 0, left: 0 } : known;
    this.#lines.set(message, lines);
    if (lines.written >= most) {
      lines.left++;
      return null;
    }
    lines.written++;
    return isOver ? known?.left ?? 0 : 0;
  }

  /** The messages whose minute is over, with the number of lines that were left out: each is told once. */
  over(now: number): [message: string, left: number][] {
    const over = [...this.#lines].filter(([, { since }]) => now - since >= LINES_MS);
    for (const [message] of over) this.#lines.delete(message);
    return over.flatMap(([message, { left }]) => left > 0 ? [[message, left]] : []);
  }
}
