/**
 * The time that a page has painted into its picture as 8 x 5 blocks (tests/fixtures/burst.html): 32 bits of Unix ms, highest
 * first, and 8 check bits. Pure.
 */

export const BLOCKS = { columns: 8, rows: 5 };

/** Unix ms modulo 2^32. @param levels the blocks' brightness, 0 to 255. @returns null where they show no time. */
export function paintedTime(levels: Uint8Array): number | null {
  const bytes = new Uint8Array(BLOCKS.rows);
  for (const [bit, level] of levels.entries()) {
    if (level > 90 && level < 165) return null; // two pictures in one
    if (level > 127) bytes[bit >> 3] |= 0x80 >> (bit & 7);
  }
  const isWhole = (bytes[0] ^ bytes[1] ^ bytes[2] ^ bytes[3] ^ 0xa5) === bytes[4];
  return isWhole ? new DataView(bytes.buffer).getUint32(0) : null;
}

/** Milliseconds from a painted time to a Unix time that is less than 24 days away. */
export function apart(time: number, painted: number): number {
  return ((time - painted) % 2 ** 32 + 1.5 * 2 ** 32) % 2 ** 32 - 2 ** 31;
}

export interface DecodedPicture {
  /** Seconds. */
  at: number;
  /** What it shows as its painting's time: Unix ms modulo 2^32. */
  painted: number | null;
}

/** The beginning of motion on a page that was still. */
export interface Burst {
  /** Seconds of stream time: of its first picture, and of the beep nearest to that. */
  pictureAt: number;
  beepAt: number;
  painted: number;
}

/** A burst and its beep are nearer to each other than to any other. */
const NEAR_SECONDS = 1;

/** Each beginning of motion. @param beeps seconds. @throws {Error} for one without a beep. */
export function burstsOf(pictures: DecodedPicture[], beeps: number[]): Burst[] {
  const bursts: Burst[] = [];
  let lastPainted = -Infinity;
  for (const [index, { at, painted }] of pictures.entries()) {
    if (painted === null) continue;
    // a picture that cannot be read within a burst is no end of it; before the first picture nothing is known
    if (index > 0 && at - lastPainted > NEAR_SECONDS) {
      const [nearest] = beeps.toSorted((a, b) => Math.abs(a - at) - Math.abs(b - at));
      if (nearest === undefined || Math.abs(nearest - at) > NEAR_SECONDS) {
        throw new Error(`the burst at ${at.toFixed(2)} s has no beep`);
      }
      bursts.push({ pictureAt: at, beepAt: nearest, painted });
    }
    lastPainted = at;
  }
  return bursts;
}
