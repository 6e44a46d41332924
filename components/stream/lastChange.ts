import { duration } from "../board/boardState.ts";

/** A status may be so far behind while the picture goes on changing: its time is renewed once a minute. */
const BEHIND_SECONDS = 120;

/** How long ago the picture last changed, in words. @param at and `now` in Unix ms. */
export function lastChangeText(at: number, now: number): string {
  const seconds = (now - at) / 1000;
  return `${seconds < BEHIND_SECONDS ? `less than ${duration(BEHIND_SECONDS)}` : duration(seconds)} ago`;
}
