/** Tells whether a live picture stands still. Times in milliseconds of a clock that only goes forward. */

/** Segments last 1 s, and an encoder's restart takes 3 s. */
const STALL_MS = 5000;
/** A first picture that is not there by then is not coming; a slow start is no stall. */
const START_MS = 60_000;

export interface StallWatch {
  /** The newest media sequence number seen, -1 before the first. */
  readonly sequence: number;
  begin(now: number): void;
  /** @param target seconds: the playlist's target duration. */
  playlist(sequence: number, target: number, now: number): void;
  /** Time in which nothing could be seen does not count. */
  forgive(now: number): void;
  verdict(currentTime: number, now: number): "fine" | "picture" | "playlist" | "start";
}

export function stallWatch(): StallWatch {
  let begunAt = 0;
  let limit = STALL_MS;
  let sequence = -1;
  let sequenceAt = 0;
  let position = 0;
  let positionAt = 0;

  return {
    get sequence() {
      return sequence;
    },
    begin(now) {
      begunAt = sequenceAt = positionAt = now;
      limit = STALL_MS;
      sequence = -1;
      position = 0;
    },
    playlist(last, target, now) {
      limit = Math.max(STALL_MS, target * 2500);
      if (last === sequence) return;
      sequence = last;
      sequenceAt = now;
    },
    forgive(now) {
      begunAt = sequenceAt = positionAt = now;
    },
    verdict(currentTime, now) {
      if (currentTime !== position) {
        position = currentTime;
        positionAt = now;
      }
      if (currentTime === 0) return now - begunAt > START_MS ? "start" : "fine";
      if (sequence >= 0 && now - sequenceAt > limit) return "playlist";
      return now - positionAt > limit ? "picture" : "fine";
    },
  };
}
