/**
 * Plays the small pictures of all channels by one clock, where films would not be made in time: a sheet of 144 takes one
 * ffmpeg about as long as 60 pictures of a film, needs no decoder of its own, and each slot shows it at any second. The
 * clock waits for a channel that has something and no picture of it yet; where most have none, as long as it takes.
 */
import { SHEET_PICTURES } from "../../lib/model/past.ts";
import type { Channel } from "./channel.ts";
import { MOST_WAIT_MS, type Run, type RunParts } from "./run.ts";

const LOOK_MS = 100;

/** Pictures a second of a small film at most: a sheet lasts for a quarter of a minute at 10 and 60 times the speed. */
const RATE = 10;

export function playSmallFilms({ channels, start, end, speed, gapAt, onmoment, onend }: RunParts): Run {
  const step = Math.max(1, Math.round(speed / RATE));
  const length = step * SHEET_PICTURES;
  const asked = new Map<Channel, number>();
  let at = start;
  let lookedAt = performance.now();
  let waitedMs = 0;

  /** Asks for the sheet of the moment, and when that is there for the next one. */
  function prepare(channel: Channel) {
    const next = asked.get(channel);
    const isNextAsked = next !== undefined && at < next - length;
    const isWaiting = next !== undefined && at < next && !channel.flow.of(at);
    if (isNextAsked || isWaiting) return;
    const start = next !== undefined && at < next + length ? next : Math.floor(at / step) * step;
    if (start >= end) return;
    asked.set(channel, start + length);
    void channel.flow.load({ start, step });
  }

  function look() {
    const now = performance.now();
    // a page that was hidden goes on where it was
    const passedMs = Math.min(now - lookedAt, 5 * LOOK_MS);
    lookedAt = now;
    channels.forEach(prepare);
    const some = channels.filter((channel) => channel.hasPast(at));
    const ready = some.filter((channel) => channel.isDrawn(at, speed));
    waitedMs = ready.length < some.length ? waitedMs + passedMs : 0;
    const isMost = ready.length * 2 >= some.length;
    if (ready.length < some.length && (waitedMs < MOST_WAIT_MS || !isMost)) return;
    at = Math.min(end, at + passedMs / 1000 * speed);
    at = Math.min(end, gapAt(at)?.end ?? at);
    if (at >= end) {
      stop();
      return onend();
    }
    onmoment(Math.floor(at));
  }

  const stop = () => clearInterval(timer);
  const timer = setInterval(look, LOOK_MS);
  return { stop };
}
