/** The next 24 hours of a form's plan in words. Pure. */
import { pagesProblem } from "../../../lib/model/plan/pages.ts";
import { planProblem } from "../../../lib/model/plan/plan.ts";
import { type Show, Timetable } from "../../../lib/model/plan/timetable.ts";
import { completeAddress } from "../../../lib/model/web_address.ts";
import type { Draft } from "../draft.ts";

export interface DayPart {
  /** Unix ms of the part's beginning. */
  key: number;
  /** The part's share of the day, 0 to 1. */
  share: number;
  /** "14:30 to 18:00", "18:00 to Tue 08:00". */
  time: string;
  what: string;
  isOn: boolean;
}

const DAY_MS = 86_400_000;

/** @param values of the form. @param timeZone the service's. @returns null: a value is incomplete or wrong. */
export function nextDay(values: Draft, timeZone: string, now: number): DayPart[] | null {
  const fields = {
    url: completeAddress(String(values.url).trim()) || "https://page.invalid/",
    morePages: String(values.morePages),
    plan: String(values.plan),
    planTimeZone: String(values.planTimeZone).trim(),
    pageSeconds: Number(values.pageSeconds),
  };
  if (pagesProblem(fields.morePages) !== null || planProblem(fields.plan) !== null) return null;
  const zone = fields.planTimeZone || timeZone;
  try {
    const from = Math.floor(now / 60_000) * 60_000;
    const clock = clockOf(zone, from);
    return new Timetable(fields, timeZone).periods(from, from + DAY_MS).map(({ from, to, show }) => ({
      key: from,
      share: (to - from) / DAY_MS,
      time: clock(from, to),
      what: wordsOf(show),
      isOn: show.length > 0,
    }));
  } catch {
    // an unknown time zone
    return null;
  }
}

/** Two times as "08:00 to 18:00", each with its weekday where the day is not the day before it. */
function clockOf(timeZone: string, first: number): (from: number, to: number) => string {
  const day = new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone });
  const time = new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone });
  const after = (before: number, at: number) =>
    day.format(before) === day.format(at) ? time.format(at) : `${day.format(at)} ${time.format(at)}`;
  return (from, to) => {
    const isMidnight = time.format(to) === "00:00" && day.format(to - 1) === day.format(from);
    return `${after(first, from)} to ${isMidnight ? "24:00" : after(from, to)}`;
  };
}

function wordsOf(show: Show): string {
  if (show.length === 0) return "off the air";
  if (show.length === 1) return `on the air: ${hostOf(show[0].url)}`;
  return `on the air: ${show.length} pages in turn, ${
    show.reduce((sum, { seconds }) => sum + seconds, 0)
  } s in all`;
}

function hostOf(url: string): string {
  const { host } = new URL(url);
  return host === "page.invalid" ? "the page" : host;
}
