/**
 * The times at which pictures are written, and their timestamps. Pure: the caller gives the time.
 *
 * A picture is written when the display has changed, at most `fps` times a second, and besides for players:
 *
 * - Each segment begins with a picture at its very first moment, or the media server would cut it elsewhere; and has a
 *   picture at least every half second. The pictures' times are exact even if they are written late.
 * - hls.js gives a segment's last picture the duration of the picture before. So the pictures of a still segment lie
 *   equally far apart, and a segment with a change ends with two pictures that are one tick apart.
 */

/** Seconds between two pictures at most. */
const LONGEST_GAP_SECONDS = 0.5;

export interface Pace {
  /** Pictures a second at most: a tick is the time of a picture. */
  fps: number;
  /** Ticks from one key frame to the next. */
  gop: number;
}

/** A picture's times, in Unix milliseconds. */
export interface Due {
  /** The time of the old picture, when it has to be written once more before the new picture; null: it has not. */
  oldAt: number | null;
  at: number;
}

/** Ticks of a segment: the media server cuts at the first key frame after a second. */
export function segmentTicks({ fps, gop }: Pace): number {
  return Math.ceil(fps / gop) * gop;
}

/**
 * Pictures that were left out since the encoder, or the machine, was late: ticks in which a change waited, except for
 * the first. @param changedAt when the change was seen. @param now when the change gets its picture.
 */
export function missedTicks(changedAt: number, now: number, fps: number): number {
  return Math.max(0, Math.floor((now - changedAt) * fps / 1000 + ROUNDING) - 1);
}

export class Pacer {
  #fps: number;
  #segment: number;
  /** Equal parts of a segment. */
  #parts: number;
  /** Ticks since 1970, of the first picture and of the last written picture; the latter may be no whole number. */
  #first: number;
  #last: number;
  /** The first tick of the segment that has a change. */
  #changedSegment = NaN;
  #due = NaN;
  /**
   * The tick of a change: the nearest tick, or the next tick if the nearest has its picture. With the nearest tick, a
   * page that is painted once a tick, now a little before and now a little after the tick, loses no picture.
   */
  #changeDue = NaN;

  /** @param now Unix ms. */
  constructor(pace: Pace, now: number) {
    this.#fps = pace.fps;
    this.#segment = segmentTicks(pace);
    const parts = Math.ceil(this.#segment / pace.fps / LONGEST_GAP_SECONDS);
    this.#parts = Math.min(this.#segment, parts);
    this.#first = Math.floor(this.#tick(now));
    this.#last = NaN;
  }

  /** The time of the next picture: Unix ms. @param hasChanged whether the display is known to have changed. */
  nextAt(now: number, hasChanged: boolean): number {
    return this.#time(this.#next(now, hasChanged));
  }

  /** The times of the picture that is to be written now. */
  due(now: number, hasChanged: boolean): Due {
    let due = this.#next(now, hasChanged);
    // late: the missed ticks are left out, except for a tick that has to have a picture
    const late = Math.ceil(this.#tick(now) - 1);
    if (late > due && !Number.isNaN(this.#last)) due = Math.min(late, this.#obliged());
    this.#due = due;
    const start = this.#segmentOf(due);
    const isLastTick = due === start + this.#segment - 1;
    const needsOld = hasChanged && isLastTick && due - 1 >= start && this.#last < due - 1;
    return { oldAt: needsOld ? this.#time(due - 1) : null, at: this.#time(due) };
  }

  /** Notes that the due picture has been written. @param hasChanged whether it differs from the picture before. */
  wrote(hasChanged: boolean): void {
    this.#last = this.#due;
    this.#changeDue = NaN;
    if (hasChanged) this.#changedSegment = this.#segmentOf(this.#due);
  }

  #next(now: number, hasChanged: boolean): number {
    if (Number.isNaN(this.#last)) return this.#first;
    const obliged = this.#obliged();
    if (!hasChanged) return obliged;
    if (Number.isNaN(this.#changeDue)) this.#changeDue = Math.ceil(this.#tick(now) - 0.5);
    return Math.min(obliged, Math.max(this.#changeDue, Math.floor(this.#last) + 1));
  }

  /** The next tick that has to have a picture. */
  #obliged(): number {
    const start = this.#segmentOf(this.#last);
    const end = start + this.#segment;
    const gap = this.#segment / this.#parts;
    const isChanged = this.#changedSegment === start;
    let part = Math.floor((this.#last - start) / gap + ROUNDING) + 1;
    // between two ticks of a moving picture another picture would be seen as a jerk
    if (isChanged && part < this.#parts && this.#last > start + part * gap - 1) part++;
    const ends = isChanged ? [end - 2, end - 1].filter((tick) => tick > this.#last) : [];
    return Math.min(part >= this.#parts ? end : start + part * gap, ...ends);
  }

  #segmentOf(tick: number): number {
    return this.#first + Math.floor((tick - this.#first) / this.#segment + ROUNDING) * this.#segment;
  }

  #tick(time: number): number {
    return time * this.#fps / 1000;
  }

  #time(tick: number): number {
    return Math.round(tick * 1000 / this.#fps);
  }
}

/** In ticks: the rounding error of a division is no tick. */
const ROUNDING = 1e-6;
