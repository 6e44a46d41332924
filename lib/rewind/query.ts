/** What is asked of the past, as it stands in an address. Pure. All times are Unix times in s. */
import { type Speed, SPEEDS } from "../model/past.ts";
import { badInput, type ServiceError } from "../errors.ts";

/** The longest time that is looked at in one answer. */
export const MOST_SECONDS = 7 * 86_400;
const USUAL_SECONDS = 86_400;

/** Slots of an answer, at most. */
const MOST_SLOTS = 1440;

const RFC_3339 = /^\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d(\.\d+)?(z|[+-]\d\d:\d\d)$/i;
const EXAMPLE = "2026-11-29T03:12:07Z, or 1795921927";

/** @throws {ServiceError} 400 when it is no time, or is missing without a fallback. */
export function askedTime(query: URLSearchParams, field: string, fallback?: number): number {
  // who leaves a "+" as it is has asked for a blank
  const text = query.get(field)?.trim().replace(" ", "+");
  if (!text && fallback !== undefined) return fallback;
  const time = /^\d{1,11}(\.\d+)?$/.test(text ?? "")
    ? Number(text)
    : RFC_3339.test(text ?? "")
    ? Date.parse(text!) / 1000
    : NaN;
  if (time >= 0) return Math.floor(time);
  throw badInput({ [field]: `${field} is a time: RFC 3339, or Unix seconds. Example: ${field}=${EXAMPLE}` });
}

/** @throws {ServiceError} 400 when it is no whole number within the limits, or is missing without a fallback. */
export function askedNumber(
  query: URLSearchParams,
  field: string,
  [least, most]: readonly [number, number],
  fallback?: number,
): number {
  const text = query.get(field);
  if (!text && fallback !== undefined) return fallback;
  const number = /^\d{1,9}$/.test(text ?? "") ? Number(text) : NaN;
  if (number >= least && number <= most) return number;
  throw notWithin(field, [least, most]);
}

/** 400: a field is no number of seconds within the limits. */
export function notWithin(field: string, [least, most]: readonly [number, number]): ServiceError {
  const problem = `${field} is a whole number of seconds from ${least} to ${most}`;
  return badInput({ [field]: `${problem}. Example: ${field}=${Math.min(60, most)}` });
}

/** @throws {ServiceError} 400. */
export function askedSpeed(query: URLSearchParams): Speed {
  const text = query.get("speed") || "1";
  const speed = SPEEDS.find((speed) => String(speed) === text);
  if (speed) return speed;
  throw badInput({
    speed: `speed is ${SPEEDS.slice(0, -1).join(", ")} or ${SPEEDS.at(-1)}. Example: speed=10`,
  });
}

export interface Range {
  start: number;
  end: number;
}

/** `start` and `end`: the last day where they are missing. @throws {ServiceError} 400. */
export function askedRange(query: URLSearchParams, now: number): Range {
  const end = askedTime(query, "end", now);
  const start = askedTime(query, "start", Math.max(0, end - USUAL_SECONDS));
  if (start >= end) throw badInput({ end: "end is later than start. Without an end, it is now." });
  if (end - start > MOST_SECONDS) {
    throw badInput({ start: `start is at most ${MOST_SECONDS / 86_400} days before end. Ask in parts.` });
  }
  return { start, end };
}

/** The same, and the seconds of a slot. @throws {ServiceError} 400. */
export function askedSlots(query: URLSearchParams, now: number): Range & { scale: number } {
  const { start, end } = askedRange(query, now);
  const scale = askedNumber(query, "scale", [1, 86_400], 60);
  if ((end - start) / scale > MOST_SLOTS) {
    const least = Math.ceil((end - start) / MOST_SLOTS);
    throw badInput({
      scale: `scale is ${least} or more for so long a time: an answer has ${MOST_SLOTS} slots at most.`,
    });
  }
  return { start, end, scale };
}
