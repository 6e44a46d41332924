/**
 * When a picture is written, and which time is on it. Pure: it is told the time.
 *
 * A picture is written when the display has changed, at most `fps` times a second, and besides so that players are happy:
 *
 * - Each segment begins with a picture at its very first moment, or the media server would cut it elsewhere; and has one
 *   at least every half second. Their times are exact even if they are written late.
 * - hls.js gives a segment's last picture the duration of the one before it. So the pictures of a still segment lie
 *   equally far apart, and one with a change ends with two that are one tick apart.
 */

/** Seconds between two pictures at most. */
const LONGEST_GAP_SECONDS = 0.5;

export interface Pace {
  /** Pictures a second at most: a tick is one of them. */
  fps: number;
  /** Ticks from one key frame to the next. */
  gop: number;
}

/** A picture's times, in Unix milliseconds. */
export interface Due {
  /** Of the old picture, which has to be there once more before the new one; null if it has not. */
  oldAt: number | null;
  at: number;
}

/** Ticks of a segment: the media server cuts at the first key frame after a second. */
export function segmentTicks({ fps, gop }: Pace): number {
  return Math.ceil(fps / gop) * gop;
}

/**
 * Pictures that were left out since the encoder, or the machine, was late: ticks that went by while a change waited, but for
 * the one that each change may wait. @param changedAt when the change was seen. @param now when it gets its picture.
 */
export function missedTicks(changedAt: number, now: number, fps: number): number {
  return Math.max(0, Math.floor((now - changedAt) * fps / 1000 + ROUNDING) - 1);
}

export class Pacer {
  #fps: number;
  #segment: number;
  /** Equal parts of a segment. */
  #parts: number;
  /** Ticks since 1970, of the first picture and of the last one that was written; those in between may be no whole ones. */
  #first: number;
  #last: number;
  /** The first tick of the segment that has a change. */
  #changedSegment = NaN;
  #due = NaN;
  /**
   * The tick of a change: the nearest one, or the next if that has its picture. By the nearest one a page that is painted
   * once a tick, now a little before it and now a little after it, loses no picture.
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

  /** When something is to be done: Unix ms. @param hasChanged whether the display is known to have changed. */
  nextAt(now: number, hasChanged: boolean): number {
    return this.#time(this.#next(now, hasChanged));
  }

  /** The times of the picture that is to be written now. */
  due(now: number, hasChanged: boolean): Due {
    let due = this.#next(now, hasChanged);
    // late: the time that went by is left out, but for what has to be there
    const late = Math.ceil(this.#tick(now) - 1);
    if (late > due && !Number.isNaN(this.#last)) due = Math.min(late, this.#obliged());
    this.#due = due;
    const start = this.#segmentOf(due);
    const isLastTick = due === start + this.#segment - 1;
    const needsOld = hasChanged && isLastTick && due - 1 >= start && this.#last < due - 1;
    return { oldAt: needsOld ? this.#time(due - 1) : null, at: this.#time(due) };
  }

  /** The picture that was due has been written. @param hasChanged whether it is another than the one before. */
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
    // between two ticks of a moving picture one more would be seen as a jerk
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

/** What is left of a division is no tick. */
const ROUNDING = 1e-6;
