/** How old a channel's playlist is, whatever is done to the machine's clock. */

interface Look {
  /** The file's own time, Unix ms. */
  writtenAt: number;
  /** By the steady clock: when that was first seen to be so, and when it was seen last. */
  since: number;
  lookedAt: number;
}

export class PlaylistAge {
  #writtenAt: () => number | null;
  #now: () => number;
  #elapsed: () => number;
  #last: Look | null = null;

  /**
   * @param writtenAt the file's own time, Unix ms; null: there is none with a segment.
   * @param clocks Unix ms, as files have it, and ms of a steady clock.
   */
  constructor(writtenAt: () => number | null, clocks: { now(): number; elapsed(): number }) {
    this.#writtenAt = writtenAt;
    this.#now = () => clocks.now();
    this.#elapsed = () => clocks.elapsed();
  }

  /**
   * Milliseconds since the playlist was last written; null if there is none with a segment. At once: it is in memory, and
   * asked for each second, for which another thread would wake, and wake this one.
   */
  get ms(): number | null {
    const writtenAt = this.#writtenAt();
    if (writtenAt === null) {
      this.#last = null;
      return null;
    }
    const at = this.#elapsed();
    const last = this.#last;
    // the clock may have been set since the file was written; one that was written since the last look is no older than that
    const ageMs = Math.max(0, Math.min(this.#now() - writtenAt, last ? at - last.lookedAt : Infinity));
    const since = last?.writtenAt === writtenAt ? last.since : at - ageMs;
    this.#last = { writtenAt, since, lookedAt: at };
    return at - since;
  }
}
