/** Fewer pictures of a page that moves all the time, so that its day stays within a size. */
import type { Packet } from "./ffmpeg.ts";
import { MINUTE, type Shown } from "./past.ts";

const DAY_BYTES = 700e6;
const MINUTE_BYTES = DAY_BYTES / (24 * 60);
/** A change is kept after so many seconds at the latest. */
const MOST_STEP = 5;

/** What a minute's pictures take by themselves. */
interface Minute {
  shown: Shown[];
  /** Of one picture, on average. */
  bytes: number;
}

function minutesOf(shown: readonly Shown[], packets: readonly Packet[]): Minute[] {
  const minutes = Map.groupBy(shown.keys(), (at) => Math.floor(shown[at].second / MINUTE));
  return [...minutes.values()].map((numbers) => ({
    shown: numbers.map((at) => shown[at]),
    bytes: numbers.reduce((sum, at) => sum + packets[at].bytes, 0) / numbers.length,
  }));
}

/** One picture in so many seconds at most: what comes sooner waits, and is forgotten when another one comes meanwhile. */
function spaced(shown: readonly Shown[], step: number): Shown[] {
  const kept: Shown[] = [];
  for (const [at, picture] of shown.entries()) {
    const second = Math.max(picture.second, (kept.at(-1)?.second ?? -Infinity) + step);
    const next = shown[at + 1]?.second ?? Infinity;
    if (second < next) kept.push({ ...picture, second });
  }
  return kept;
}

function fits({ shown, bytes }: Minute, step: number): boolean {
  return spaced(shown, step).length * bytes <= MINUTE_BYTES;
}

/** The least number of seconds from picture to picture with which a minute is small enough. */
function stepFor(minute: Minute): number {
  let step = 1;
  while (step < MOST_STEP && !fits(minute, step)) step++;
  return step;
}

/**
 * Each picture, or one in two to five seconds: a second more after a minute that was too large, one less after one that
 * would have had room. It begins as the first minute would need it, as on a day that has begun long ago.
 * @param packets what all of them take.
 */
export function thinned(shown: readonly Shown[], packets: readonly Packet[]): Shown[] {
  const minutes = minutesOf(shown, packets);
  let step = stepFor(minutes[0]);
  return minutes.flatMap((minute) => {
    const kept = spaced(minute.shown, step);
    if (!fits(minute, step)) step = Math.min(MOST_STEP, step + 1);
    else if (step > 1 && fits(minute, step - 1)) step--;
    return kept;
  });
}
