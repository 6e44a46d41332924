/**
 * Plays the small pictures of all channels by one clock, where films would not be made in time. The clock waits for a
 * channel that has something and no picture of it yet.
 */
import { SHEET_PICTURES } from "../../lib/model/past.ts";
import type { Channel } from "./channel.ts";
import { MOST_WAIT_MS, type Run, type RunParts } from "./run.ts";
import type { SheetPlan } from "./windows.ts";

const LOOK_MS = 100;

/** Pictures a second of a small film, for its speed: a sheet lasts for half a minute at 10 and 60 times the speed. */
const RATE = 5;

export function playSmallFilms({ channels, start, end, speed, gapAt, onmoment, onend }: RunParts): Run {
  const step = Math.max(1, Math.round(speed / RATE));
  const length = step * SHEET_PICTURES;
  const asked = new Map<Channel, number>();
  let at = start;
  let lookedAt = performance.now();
  let waitedMs = 0;

  /** Asks for the sheet of the moment, and then for the next one. */
  function prepare(channel: Channel) {
    const planOf = (from: number): SheetPlan => ({ start: from, step });
    const next = asked.get(channel);
    if (next !== undefined && at < next - length / 2) return;
    const from = next !== undefined && at < next + length ? next : Math.floor(at / step) * step;
    if (from >= end) return;
    asked.set(channel, from + length);
    void channel.flow.load(planOf(from));
  }

  function look() {
    const now = performance.now();
    // a page that was hidden goes on where it was
    const passedMs = Math.min(now - lookedAt, 5 * LOOK_MS);
    lookedAt = now;
    channels.forEach(prepare);
    const isMissing = channels.some((channel) => channel.hasPast(at) && !channel.isDrawn(at, speed));
    waitedMs = isMissing ? waitedMs + passedMs : 0;
    if (isMissing && waitedMs < MOST_WAIT_MS) return;
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
