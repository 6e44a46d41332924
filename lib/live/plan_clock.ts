/** The pages that a stream's weekly plan has on, and when these change. */
import { endOf, type OverrideTime } from "../model/plan/stop_until.ts";
import type { Stream } from "../model/schema.ts";
import { nextTimeAt, type PlannedFields, type Show, Timetable } from "../model/plan/timetable.ts";

export interface Clock {
  /** Unix ms. */
  now(): number;
  /** Milliseconds of a steady clock. */
  elapsed(): number;
}

/** A plan that is never on this week is asked again after so long: a change of the clocks may have left a time out. */
const NEVER_MS = 3_600_000;

export class PlanClock {
  #timeZone: string;
  #clock: Clock;
  /** The plan of the last look, and whether it had the stream off the air; null: there is no plan. */
  #before: { plan: string; isOff: boolean } | null = null;
  /** The next time at which the plan changes the pages on the air. */
  #change = new Ahead();
  /** When the plan's next time begins. */
  #time = new Ahead();
  /** The plan of the last settings that were asked about: a stored stream never changes. */
  #read: { of: PlannedFields; timetable: Timetable } | null = null;

  /** @param timeZone the zone of plans that name none. */
  constructor(timeZone: string, clock: Clock) {
    this.#timeZone = timeZone;
    this.#clock = clock;
  }

  timetable(stream: PlannedFields): Timetable {
    if (this.#read?.of !== stream) {
      this.#read = { of: stream, timetable: new Timetable(stream, this.#timeZone) };
    }
    return this.#read.timetable;
  }

  /** The pages that are on. */
  show(stream: PlannedFields): Show {
    return this.timetable(stream).at(this.#clock.now());
  }

  /** Whether the plan has the stream off the air now. */
  isOff(stream: PlannedFields): boolean {
    return this.show(stream).length === 0;
  }

  /** When the stream is on the air again, Unix ms; null: never; undefined: the stream is on, or not to run. */
  returnsAt(stream: Stream): number | null | undefined {
    return stream.desiredState === "stopped" || !this.isOff(stream) ? undefined : this.#nextChange(stream);
  }

  /** The next time at which the plan changes the pages on the air, Unix ms; undefined: never, or the stream is off the air. */
  changesAt(stream: Stream): number | undefined {
    if (stream.desiredState === "stopped" || stream.plan === "" || this.isOff(stream)) return undefined;
    return this.#nextChange(stream) ?? undefined;
  }

  /** When the next time of a stream's plan begins, Unix ms; undefined: never, or the plan does not count. */
  nextTimeAt(stream: Stream): number | undefined {
    if (stream.desiredState === "stopped" || stream.plan === "") return undefined;
    return this.#time.of(stream, this.#clock, (now) => nextTimeAt(stream, this.#timeZone, now)) ?? undefined;
  }

  /** The end of an override that begins now, Unix ms; null: the stream's plan has no other time. */
  endOf(stream: Stream, time: OverrideTime): number | null {
    const now = this.#clock.now();
    return time === "next" ? nextTimeAt(stream, this.#timeZone, now) : endOf(time, now);
  }

  #nextChange(stream: Stream): number | null {
    return this.#change.of(stream, this.#clock, (now) => this.timetable(stream).changesAt(now));
  }

  /** @returns the plan's change since the last look; null: there is none. */
  tick(stream: Stream): "on" | "off" | null {
    const before = this.#before;
    this.#before = null;
    if (stream.desiredState === "stopped" || stream.plan === "") return null;
    const plan = JSON.stringify([stream.plan, stream.planTimeZone, stream.planOverride]);
    const isOff = this.isOff(stream);
    this.#before = { plan, isOff };
    // a change of the plan, and a start of the stream or the service, bring the stream there as well
    if (before?.plan !== plan || before.isOff === isOff) return null;
    return isOff ? "off" : "on";
  }
}

/** A time ahead of a stream, which is kept until it has come: it is a search through the week. */
class Ahead {
  #known: { stream: Stream; at: number | null; askedAt: number } | null = null;

  of(stream: Stream, { now, elapsed }: Clock, search: (now: number) => number | null): number | null {
    const known = this.#known?.stream === stream ? this.#known : null;
    const isGood = known && (known.at === null ? elapsed() - known.askedAt < NEVER_MS : known.at > now());
    if (isGood) return known.at;
    const at = search(now());
    this.#known = { stream, at, askedAt: elapsed() };
    return at;
  }
}
