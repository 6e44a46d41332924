/**
 * A stream's weekly plan as a text, one line for each time: "Mon-Fri 08:00-18:00", with its first and last day where it
 * has them: "2026-12-01..2026-12-24 Mon-Fri 08:00-18:00". Pure, also for the form.
 */
import type { LocalTime } from "./local_time.ts";
import { linesOf } from "../page_settings.ts";
import { otherPageProblem } from "./pages.ts";
import { completeAddress } from "../web_address.ts";

export const WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

const MAX_LINES = 50;
const DAY_MINUTES = 1440;
const DAY_MS = 86_400_000;
const EXAMPLE = "Example: Mon-Fri 08:00-18:00";
const DATES_EXAMPLE = "Example: 2026-12-01..2026-12-24 Mon-Fri 08:00-18:00";

/** A time of the week, and its page. */
export interface PlanLine {
  /** The first and the last day on which the time begins, as days since 1970-01-01; null: without an end. */
  first: number | null;
  last: number | null;
  /** Whether the time begins on each day, Monday first. */
  days: readonly boolean[];
  /** Minutes since midnight, 0 to 1439. */
  from: number;
  /** Minutes since midnight, 1 to 1440; not after `from`: on the next day. */
  to: number;
  /** The only page at that time; "": the stream's own pages. */
  url: string;
}

/** The lines of a text. @throws {Error} with the problem in words. */
export function parsePlan(text: string): PlanLine[] {
  const lines = linesOf(text);
  if (lines.length > MAX_LINES) throw new Error(`there are at most ${MAX_LINES} lines.`);
  return lines.map((line, index) => {
    try {
      return parseLine(line);
    } catch (error) {
      throw new Error(`line ${index + 1}: ${(error as Error).message}`);
    }
  });
}

/** The problem of a plan; null: it is valid. */
export function planProblem(text: string): string | null {
  try {
    parsePlan(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function parseLine(line: string): PlanLine {
  const [, dates = "", time] = /^(?:((?:\d|\.\.)\S*)\s+)?(.*)$/.exec(line)!;
  const { first, last } = parseDates(dates);
  const match = /^(\S+)\s+(\S+?)\s*[-–]\s*([\d?]\S*)(?:\s+(\S+))?$/.exec(time);
  if (!match) throw new Error(`"${line.slice(0, 60)}" has no days, or no times. ${EXAMPLE}`);
  const [days, from, to] = [parseDays(match[1]), parseTime(match[2]), parseTime(match[3])];
  if (from === to) throw new Error("It ends when it begins. The whole day is 00:00-24:00.");
  if (from === DAY_MINUTES || to === 0) {
    throw new Error("A time of the plan begins before 24:00, and ends after 00:00.");
  }
  if (!isEver(days, first, last)) {
    throw new Error(`None of its days is from ${formatDay(first!)} to ${formatDay(last!)}. ${DATES_EXAMPLE}`);
  }
  const url = match[4] === undefined ? "" : completeAddress(match[4]);
  const problem = url === "" ? null : otherPageProblem(url);
  if (problem !== null) throw new Error(problem);
  return { first, last, days, from, to, url };
}

/** "2026-12-01..2026-12-24", "2026-12-01..", "..2026-12-24", or one day; "": all days. */
function parseDates(text: string): Pick<PlanLine, "first" | "last"> {
  if (text === "") return { first: null, last: null };
  const ends = text.split("..");
  if (ends.length > 2 || ends.every((end) => end === "")) {
    throw new Error(`"${text.slice(0, 30)}" is not a day, or not two days. ${DATES_EXAMPLE}`);
  }
  const [first, last] = [ends[0], ends.at(-1)!].map((end) => end === "" ? null : parseDay(end));
  if (first !== null && last !== null && last < first) {
    throw new Error(`Its last day is before its first one. ${DATES_EXAMPLE}`);
  }
  return { first, last };
}

/** Days since 1970 of "2026-12-01". @throws {Error} also for a day that no month has. */
export function parseDay(text: string): number {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) / DAY_MS : NaN;
  if (Number.isNaN(day) || formatDay(day) !== text) {
    throw new Error(`"${text.slice(0, 20)}" is not a day. ${DATES_EXAMPLE}`);
  }
  return day;
}

/** Days since 1970 as "2026-12-01". */
export function formatDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** Whether one of the weekdays is among the dates. */
function isEver(days: readonly boolean[], first: number | null, last: number | null): boolean {
  if (first === null || last === null || last - first >= 6) return true;
  for (let day = first; day <= last; day++) if (days[weekdayOf(day)]) return true;
  return false;
}

/** The weekday of a day since 1970, which began with a Thursday; 0: Monday. */
const weekdayOf = (day: number) => (((day + 3) % 7) + 7) % 7;

function parseDays(text: string): boolean[] {
  if (/^daily$/i.test(text)) return WEEKDAYS.map(() => true);
  if (text === "-") throw new Error(`No day is chosen. ${EXAMPLE}`);
  const days = WEEKDAYS.map(() => false);
  for (const part of text.split(",")) {
    const ends = part.split(/[-–]/).map((name) =>
      WEEKDAYS.findIndex((day) => day.toLowerCase() === name.toLowerCase())
    );
    if (ends.length > 2 || ends.includes(-1)) {
      throw new Error(
        `"${part.slice(0, 20)}" is not a day. Days are ${WEEKDAYS.join(", ")}, or daily. ${EXAMPLE}`,
      );
    }
    const [first, last] = [ends[0], ends.at(-1)!];
    // also across the end of the week
    for (let day = first;; day = (day + 1) % 7) {
      days[day] = true;
      if (day === last) break;
    }
  }
  return days;
}

function parseTime(text: string): number {
  const [, hours, minutes] = /^(\d{1,2}):(\d{2})$/.exec(text) ?? [];
  const time = Number(hours) * 60 + Number(minutes);
  if (!(Number(minutes) < 60 && time <= DAY_MINUTES)) {
    throw new Error(`"${text.slice(0, 20)}" is not a time of the day from 00:00 to 24:00. ${EXAMPLE}`);
  }
  return time;
}

/** The text that `parsePlan` reads back. */
export function formatPlan(lines: readonly PlanLine[]): string {
  return lines.map(({ first, last, days, from, to, url }) => {
    const time = `${formatDays(days)} ${formatTime(from)}-${formatTime(to)}`;
    return [formatDates(first, last), time, url].filter(Boolean).join(" ");
  }).join("\n");
}

/** The dates of a line, as it is stored; "": it has none. */
export function formatDates(first: number | null, last: number | null): string {
  if (first === null && last === null) return "";
  if (first === last) return formatDay(first!);
  return `${first === null ? "" : formatDay(first)}..${last === null ? "" : formatDay(last)}`;
}

/** "Mon-Fri", "Mon-Tue,Thu", "daily"; "" without any day. */
export function formatDays(days: readonly boolean[]): string {
  if (days.every(Boolean)) return "daily";
  const runs: string[] = [];
  for (let day = 0; day < 7; day++) {
    if (!days[day]) continue;
    const first = day;
    while (days[day + 1]) day++;
    runs.push(first === day ? WEEKDAYS[first] : `${WEEKDAYS[first]}-${WEEKDAYS[day]}`);
  }
  return runs.join(",");
}

/** Minutes since midnight as "08:00". */
export function formatTime(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}

/** Whether the line is on at that time. */
export function isOnAt(line: PlanLine, { day, weekday, minute }: LocalTime): boolean {
  const { days, from, to } = line;
  const isToday = days[weekday] && isAmong(line, day);
  if (from < to) return isToday && minute >= from && minute < to;
  return isToday && minute >= from || days[(weekday + 6) % 7] && isAmong(line, day - 1) && minute < to;
}

const isAmong = ({ first, last }: PlanLine, day: number) =>
  (first === null || day >= first) && (last === null || day <= last);
