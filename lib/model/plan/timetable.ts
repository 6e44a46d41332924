/** A stream's timetable, from its weekly plan and its pages. Pure, also for the form. */
import { Zone } from "./local_time.ts";
import { isOnAt, parsePlan, type PlanLine } from "./plan.ts";
import type { PlanOverride } from "./stop_until.ts";
import { type Page, pagesOf, parsePages } from "./pages.ts";
import type { StreamFields } from "../schema.ts";

export type PlannedFields =
  & Pick<
    StreamFields,
    "url" | "morePages" | "pageSeconds" | "plan" | "planTimeZone"
  >
  & { planOverride?: PlanOverride };

/** The pages that are shown in turn at a time. Off the air there are none. */
export type Show = readonly Page[];

const OFF: Show = [];

/** A time with one show. */
export interface Period {
  /** Unix ms. */
  from: number;
  to: number;
  show: Show;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
/** A week, and the hour by which its clocks may change. A time that the clocks skip is found a week later. */
const LOOK_AHEAD_MINUTES = 7 * DAY_MINUTES + 60;
/** The largest distance of a local midnight from UTC's. */
const MOST_OFFSET_MINUTES = 15 * 60;

export class Timetable {
  /** All pages that may be on at some time, the stream's own first. */
  readonly pages: readonly Page[];
  #own: Show;
  #lines: readonly (PlanLine & { show: Show })[];
  #zone: Zone | null;
  #override: PlanOverride | undefined;

  /** @param serviceZone the zone if the stream's field is empty. @throws {Error} when the fields are not valid. */
  constructor(fields: PlannedFields, serviceZone: string) {
    const { plan, planTimeZone, pageSeconds } = fields;
    const own = pagesOf(fields);
    // one list for each address, so that equal shows are the same object
    const single = new Map<string, Show>();
    this.#own = own;
    this.#lines = parsePlan(plan).map((line) => {
      if (line.url === "") return { ...line, show: own };
      const show = single.get(line.url) ?? [{ url: line.url, seconds: pageSeconds }];
      single.set(line.url, show);
      return { ...line, show };
    });
    this.#override = fields.planOverride;
    this.#zone = plan === "" ? null : Zone.named(planTimeZone || serviceZone);
    this.pages = [...own, ...[...single.values()].flat()];
  }

  /** Whether there is a plan at all. */
  get isPlanned(): boolean {
    return this.#zone !== null;
  }

  /** The show at a time. The first line that fits counts, where a person wants nothing else. @param at Unix ms. */
  at(at: number): Show {
    if (this.#zone === null) return this.#own;
    const override = this.#override && at < this.#override.until ? this.#override : null;
    if (override?.onAir === false) return OFF;
    const time = this.#zone.localTime(at);
    const line = this.#lines.find((line) => isOnAt(line, time));
    return line?.show ?? (override ? this.#own : OFF);
  }

  /** The next minute with another show, Unix ms; null: the show is always the same. */
  changesAt(at: number): number | null {
    if (this.#zone === null) return null;
    const show = this.at(at);
    let minute = Math.floor(at / MINUTE_MS) + 1;
    // between two days with which dates begin or end, each week is as the one before
    for (const from of [minute, ...this.#datedMinutes(minute)]) {
      const end = from + LOOK_AHEAD_MINUTES + 2 * MOST_OFFSET_MINUTES;
      for (minute = Math.max(minute, from); minute < end; minute++) {
        if (this.at(minute * MINUTE_MS) !== show) return minute * MINUTE_MS;
      }
    }
    return null;
  }

  /** The minutes (UTC) from which on a date of the plan may begin or end, or an override ends, after another one. */
  #datedMinutes(after: number): number[] {
    const days = this.#lines.flatMap(({ first, last }) => [first, last === null ? null : last + 1]);
    const minutes = days.map((day) => (day ?? -Infinity) * DAY_MINUTES - MOST_OFFSET_MINUTES);
    if (this.#override) minutes.push(Math.floor(this.#override.until / MINUTE_MS));
    return [...new Set(minutes)].filter((minute) => minute > after).sort((one, other) => one - other);
  }

  /** The shows from `from` until `to`, without gaps. */
  periods(from: number, to: number): Period[] {
    const periods: Period[] = [];
    for (let at = from; at < to;) {
      const next = Math.min(this.changesAt(at) ?? to, to);
      periods.push({ from: at, to: next, show: this.at(at) });
      at = next;
    }
    return periods;
  }
}

/**
 * When the next time of a plan begins, whatever a person wants until then: Unix ms; null: never.
 * @throws {Error} when the fields are not valid.
 */
export function nextTimeAt(fields: PlannedFields, serviceZone: string, at: number): number | null {
  const table = new Timetable({ ...fields, planOverride: undefined }, serviceZone);
  let next = table.changesAt(at);
  while (next !== null && table.at(next).length === 0) next = table.changesAt(next);
  return next;
}

/** The addresses of the pages that a stream may show beside its own. @throws {Error} when the fields are not valid. */
export function otherAddresses({ morePages, plan }: Pick<PlannedFields, "morePages" | "plan">): string[] {
  const addresses = [...parsePages(morePages), ...parsePlan(plan)].map(({ url }) => url);
  return [...new Set(addresses.filter(Boolean))];
}

/** The origins of these pages; empty when the fields are not valid, as in a half-filled form. */
export function otherOrigins(fields: Pick<PlannedFields, "morePages" | "plan">): string[] {
  try {
    return [...new Set(otherAddresses(fields).map((url) => new URL(url).origin))].sort();
  } catch {
    return [];
  }
}
