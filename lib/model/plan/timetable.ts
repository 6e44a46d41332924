/** A stream's timetable, from its weekly plan and its pages. Pure, also for the form. */
import { Zone } from "./local_time.ts";
import { isOnAt, parsePlan, type PlanLine } from "./plan.ts";
import { type Page, pagesOf, parsePages } from "./pages.ts";
import type { StreamFields } from "../schema.ts";

export type PlannedFields = Pick<
  StreamFields,
  "url" | "morePages" | "pageSeconds" | "plan" | "planTimeZone"
>;

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
/** A week, and the hour by which its clocks may change. A time that the clocks skip is found a week later. */
const LOOK_AHEAD_MINUTES = 7 * 1440 + 60;

export class Timetable {
  /** All pages that may be on at some time, the stream's own first. */
  readonly pages: readonly Page[];
  #own: Show;
  #lines: readonly (PlanLine & { show: Show })[];
  #zone: Zone | null;

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
    this.#zone = plan === "" ? null : Zone.named(planTimeZone || serviceZone);
    this.pages = [...own, ...[...single.values()].flat()];
  }

  /** Whether there is a plan at all. */
  get isPlanned(): boolean {
    return this.#zone !== null;
  }

  /** The show at a time. The first line that fits counts. @param at Unix ms. */
  at(at: number): Show {
    if (this.#zone === null) return this.#own;
    const time = this.#zone.localTime(at);
    return this.#lines.find((line) => isOnAt(line, time))?.show ?? OFF;
  }

  /** The next minute with another show, Unix ms; null: the show is always the same. */
  changesAt(at: number): number | null {
    if (this.#zone === null) return null;
    const show = this.at(at);
    const first = Math.floor(at / MINUTE_MS) + 1;
    for (let minute = first; minute < first + LOOK_AHEAD_MINUTES; minute++) {
      if (this.at(minute * MINUTE_MS) !== show) return minute * MINUTE_MS;
    }
    return null;
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

const known = new WeakMap<PlannedFields, Timetable>();

/** The timetable of a stream, an object that never changes. @param serviceZone the same zone every time. */
export function timetableOf(stream: PlannedFields, serviceZone: string): Timetable {
  const timetable = known.get(stream) ?? new Timetable(stream, serviceZone);
  known.set(stream, timetable);
  return timetable;
}
