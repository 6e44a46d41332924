/**
 * The speed of the instant view. The loaded pictures that are not shown yet grow by steps, so the least of a moment counts: a
 * moving page has steps of a picture, a still one of a second, since mpegts.js keeps the last of two pictures.
 */

/** Looks that are a moment: a little more than the longest step. */
const LOOKS = 6;
/** Seconds. With more at least, the player is late, or far behind; with less, it would stall soon. */
const [FAR_S, LATE_S, LITTLE_S] = [0.6, 0.3, 0.1];
/** Seconds at which it stops hurrying, or slowing. */
const GOOD_S = 0.18;
/** Seconds more that are kept after each stall, and the share of them that is left after a look: half after a minute. */
const [MORE_S, KEPT] = [0.2, 0.998];
/** Browsers keep the pitch. */
const [FASTER, FAST, SLOW] = [1.25, 1.1, 0.95];

export interface Pace {
  /** @param ahead seconds that are loaded and not shown yet. @returns the rate to play at. */
  rate(ahead: number): number;
  /** The picture has stood still: the data comes less evenly than before. */
  stalled(): void;
}

export function paceOf(): Pace {
  let looks: number[] = [];
  let rate = 1;
  let more = 0;
  return {
    stalled() {
      more += MORE_S;
    },
    rate(ahead) {
      more *= KEPT;
      looks = looks.concat(ahead).slice(-LOOKS);
      const least = Math.min.apply(null, looks) - more;
      if (least < LITTLE_S) rate = SLOW;
      // nothing is late yet that has just begun
      else if (least > LATE_S) rate = looks.length < LOOKS ? rate : least > FAR_S ? FASTER : FAST;
      else if (rate > 1 ? least < GOOD_S : least > GOOD_S) rate = 1;
      return rate;
    },
  };
}
