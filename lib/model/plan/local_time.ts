/** The local time in a time zone. Pure, also for the form. */

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
/** No zone changes its clocks within a step, which begins at a multiple of itself (IANA's time zone database). */
const STEP_MS = 15 * MINUTE_MS;
/** As many steps as two weeks have. */
const MAX_KNOWN = 1500;

export interface LocalTime {
  /** Days since 1970-01-01. */
  day: number;
  /** 0: Monday. */
  weekday: number;
  /** Minutes since midnight, as the clock shows them: some come twice a year, and some never. */
  minute: number;
}

/** The time zone of this machine, or of this browser. */
export function ownTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

const zones = new Map<string, Zone>();

export class Zone {
  #format: Intl.DateTimeFormat;
  /** Minutes that the zone is ahead of UTC, by the step's number. A new computation takes 1000 times as long. */
  #offsets = new Map<number, number>();

  /** @throws {RangeError} when the zone is unknown. */
  static named(name: string): Zone {
    const zone = zones.get(name) ?? new Zone(name);
    zones.set(name, zone);
    return zone;
  }

  private constructor(name: string) {
    const [numeric, hourCycle] = ["numeric", "h23"] as const;
    this.#format = new Intl.DateTimeFormat("en", {
      timeZone: name,
      hourCycle,
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
    });
  }

  /** @param at Unix ms. */
  localTime(at: number): LocalTime {
    const minutes = Math.floor(at / MINUTE_MS) + this.#offset(at);
    const day = Math.floor(minutes / DAY_MINUTES);
    // 1970 began with a Thursday
    return { day, weekday: (day + 3) % 7, minute: minutes - day * DAY_MINUTES };
  }

  #offset(at: number): number {
    const step = Math.floor(at / STEP_MS);
    const known = this.#offsets.get(step);
    if (known !== undefined) return known;
    const part = Object.fromEntries(
      this.#format.formatToParts(step * STEP_MS).map(({ type, value }) => [type, Number(value)]),
    );
    const shown = Date.UTC(part.year, part.month - 1, part.day, part.hour, part.minute);
    const offset = Math.round((shown - step * STEP_MS) / MINUTE_MS);
    if (this.#offsets.size >= MAX_KNOWN) this.#offsets.clear();
    this.#offsets.set(step, offset);
    return offset;
  }
}
