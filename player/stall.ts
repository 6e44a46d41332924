/** Tells whether a live picture stands still. Times in milliseconds of a clock that only goes forward. */

/** Segments last 1 s, and an encoder's restart takes 3 s. */
const STALL_MS = 5000;
/** A first picture that is not there after this will not come; a slower start than that is no stall. */
const START_MS = 60_000;

export interface StallWatch {
  /** The newest media sequence number seen, -1 before the first. */
  readonly sequence: number;
  start(now: number): void;
  playlistLoaded(sequence: number, targetSeconds: number, now: number): void;
  /** Called after a time in which nothing could be seen, which must not be taken for a stall. */
  restartTimers(now: number): void;
  verdict(currentTime: number, now: number): "fine" | "picture" | "playlist" | "start";
}

export function stallWatch(): StallWatch {
  let startedAt = 0;
  let limitMs = STALL_MS;
  let sequence = -1;
  let sequenceAt = 0;
  let position = 0;
  let positionAt = 0;

  return {
    get sequence() {
      return sequence;
    },
    start(now) {
      startedAt = sequenceAt = positionAt = now;
      limitMs = STALL_MS;
      sequence = -1;
      position = 0;
    },
    playlistLoaded(last, targetSeconds, now) {
      limitMs = Math.max(STALL_MS, targetSeconds * 2500);
      if (last === sequence) return;
      sequence = last;
      sequenceAt = now;
    },
    restartTimers(now) {
      startedAt = sequenceAt = positionAt = now;
    },
    verdict(currentTime, now) {
      if (currentTime !== position) {
        position = currentTime;
        positionAt = now;
      }
      if (currentTime === 0) return now - startedAt > START_MS ? "start" : "fine";
      if (sequence >= 0 && now - sequenceAt > limitMs) return "playlist";
      return now - positionAt > limitMs ? "picture" : "fine";
    },
  };
}
