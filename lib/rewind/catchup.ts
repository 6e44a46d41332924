/**
 * What IPTV apps ask for: a list of the past by the placeholders of their catch-up, which docs/iptv.md has in a table, or a
 * channel's own address with a time behind it (mode "shift"). Pure. Times are Unix times in s.
 */
import { MOST_LISTED } from "../model/past.ts";
import { badInput } from "../errors.ts";
import type { StreamId } from "../model/id.ts";
import { streamLinks } from "../model/links.ts";
import { askedTime, notWithin, type Range } from "./query.ts";

/** Seconds of the units in which apps count. */
const UNITS: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600 };

/** A year: nothing older is kept. */
const MOST_OFFSET = 366 * 86_400;

/** What a field has; undefined where it has nothing, or an app has left a placeholder that it does not know. */
function given(query: URLSearchParams, field: string): string | undefined {
  const text = query.get(field);
  return text && !text.includes("{") ? text : undefined;
}

/** Seconds, or minutes ("90m"), or hours ("2h"); undefined: not given. @throws {ServiceError} 400. */
function givenSeconds(
  query: URLSearchParams,
  field: string,
  [least, most]: readonly [number, number],
): number | undefined {
  const text = given(query, field);
  if (text === undefined) return undefined;
  const [, number, unit = ""] = /^(\d{1,9})([smh]?)$/.exec(text) ?? [];
  const seconds = Number(number) * UNITS[unit];
  if (seconds >= least && seconds <= most) return seconds;
  throw notWithin(field, [least, most]);
}

/**
 * What a list is to show: from `start` on, or since `offset` before now, for `duration` or until `end`; two hours at most,
 * and without an end. @throws {ServiceError} 400.
 */
export function askedFilm(query: URLSearchParams, now: number): Range {
  const offset = givenSeconds(query, "offset", [0, MOST_OFFSET]);
  const start = offset === undefined ? askedTime(query, "start") : Math.max(0, now - offset);
  const most = start + MOST_LISTED;
  const duration = givenSeconds(query, "duration", [1, MOST_LISTED]);
  if (duration !== undefined) return { start, end: start + duration };
  const end = given(query, "end") === undefined ? most : askedTime(query, "end");
  if (end <= start) {
    throw badInput({ end: "end is later than start. Without an end, it is two hours later." });
  }
  return { start, end: Math.min(end, most) };
}

/** Whether a request for a channel's playlist is one for its past. */
export function asksForPast(query: URLSearchParams): boolean {
  return given(query, "utc") !== undefined;
}

/**
 * The address of the past from `utc` on, below the base of all addresses. `lutc`, the app's clock, tells nothing that counts.
 * @throws {ServiceError} 400 when `utc` is no time.
 */
export function pastAddress(id: StreamId, query: URLSearchParams): string {
  const asked = new URLSearchParams({ start: String(askedTime(query, "utc")) });
  for (const field of ["duration", "end"]) {
    const text = given(query, field);
    if (text !== undefined) asked.set(field, text);
  }
  return `${streamLinks(id).pastList}?${asked}`;
}
