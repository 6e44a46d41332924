/**
 * How many bytes of pictures a stream may take: so many a day, and many at once. A page that moves all the time gets fewer
 * pictures then. Pure.
 */

/** A day's bytes, for pages that move all the time. */
const DAY_BYTES = 700e6;
const BYTES_A_SECOND = DAY_BYTES / 86_400;

/** What may be taken at once: of ten minutes. */
const BURST_SECONDS = 600;

export class Thinning {
  #left = BYTES_A_SECOND * BURST_SECONDS;
  #at = NaN;

  /** Whether a picture may be kept now. @param seconds a Unix time; one that goes back lets no time pass. */
  allows(seconds: number): boolean {
    const passed = Number.isNaN(this.#at) ? 0 : Math.max(0, seconds - this.#at);
    this.#at = seconds;
    this.#left = Math.min(this.#left + passed * BYTES_A_SECOND, BYTES_A_SECOND * BURST_SECONDS);
    return this.#left > 0;
  }

  /** A picture was kept. */
  took(bytes: number): void {
    this.#left -= bytes;
  }
}
