/** What a film of a time will be. Pure. Moments are Unix times in s. */
import type { Speed } from "../../../lib/model/past.ts";
import { gapText, trueGaps } from "../bars.ts";
import type { Changes, Range } from "../past.ts";
import type { Zoom } from "../windows.ts";

/** The longest film, in s of the past, as the service has it. */
export const MOST_SECONDS = 86_400;

/** The speed at which a film of so much is some minutes long. */
export const USUAL_SPEEDS: Readonly<Record<Zoom, Speed>> = { minutes: 1, hour: 10, day: 60 };

/** A part of the time that is not in the film. */
export interface LeftOut extends Range {
  /** Why, as a sentence. */
  says: string;
}

export interface FilmPlan {
  range: Range;
  /** Seconds that are kept. */
  seconds: number;
  leftOut: LeftOut[];
}

/** The part of a window that is kept, as far as it reaches; all of the window where nothing of it is. */
export function keptPart(window: Range, kept: Range | null | undefined): Range {
  const start = Math.max(window.start, kept?.start ?? 0);
  const end = Math.min(window.end, kept?.end ?? window.end);
  return start < end ? { start, end } : window;
}

/** Why there can be no film of a time, at the field that has to be changed; null: there can. */
export function rangeProblem({ start, end }: Range): { field: "start" | "end"; says: string } | null {
  if (end === start) return { field: "end", says: "This is the beginning: choose a later time." };
  if (end < start) return { field: "end", says: "This is before the beginning: choose a later time." };
  if (end - start <= MOST_SECONDS) return null;
  return {
    field: "end",
    says: "A film has at most 24 hours. Choose an earlier time, or make several films.",
  };
}

/** @param changes of the range, as far as it is not yet to come; null: all of it is. */
export function filmPlan(range: Range, changes: Changes | null, now: number): FilmPlan {
  const past = { start: range.start, end: Math.min(range.end, Math.max(now, range.start)) };
  const leftOut = (changes ? trueGaps(changes, now) : [])
    .map((gap) => ({ ...within(gap, past), says: gapText(gap) })).filter(({ start, end }) => start < end);
  if (past.end < range.end) leftOut.push({ start: past.end, end: range.end, says: "This is yet to come." });
  const seconds = leftOut.reduce((sum, { start, end }) => sum - (end - start), range.end - range.start);
  return { range, seconds, leftOut };
}

const within = ({ start, end }: Range, range: Range): Range => ({
  start: Math.max(start, range.start),
  end: Math.min(end, range.end),
});
