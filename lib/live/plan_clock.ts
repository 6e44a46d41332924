/** What a stream's weekly plan has on, and when that changes. */
import type { Stream } from "../model/schema.ts";
import { type PlannedFields, type Show, timetableOf } from "../model/plan/timetable.ts";

export interface Clock {
  /** Unix ms. */
  now(): number;
  /** Milliseconds of a steady clock. */
  elapsed(): number;
}

/** A week without a time that is on may be one whose clocks leave that time out: it is asked again after so long. */
const NEVER_MS = 3_600_000;

export class PlanClock {
  #timeZone: string;
  #clock: Clock;
  /** The plan of the last look, and whether it had the stream off the air; null without one. */
  #before: { plan: string; isOff: boolean } | null = null;
  /** When the stream returns, while it is off the air: a search through the week. */
  #returns: { stream: Stream; at: number | null; askedAt: number } | null = null;

  /** @param timeZone of plans that name none. */
  constructor(timeZone: string, clock: Clock) {
    this.#timeZone = timeZone;
    this.#clock = clock;
  }

  /** What is on now. */
  show(stream: PlannedFields): Show {
    return timetableOf(stream, this.#timeZone).at(this.#clock.now());
  }

  /** Whether the plan has the stream off the air now. */
  isOff(stream: PlannedFields): boolean {
    return this.show(stream).length === 0;
  }

  /** When the stream is on the air again, Unix ms; null: never; undefined: it is on, or is not to be at all. */
  returnsAt(stream: Stream): number | null | undefined {
    if (stream.desiredState === "stopped" || !this.isOff(stream)) return undefined;
    const { now, elapsed } = this.#clock;
    const known = this.#returns?.stream === stream ? this.#returns : null;
    const isGood = known && (known.at === null ? elapsed() - known.askedAt < NEVER_MS : known.at > now());
    if (isGood) return known.at;
    const at = timetableOf(stream, this.#timeZone).changesAt(now());
    this.#returns = { stream, at, askedAt: elapsed() };
    return at;
  }

  /** @returns what the plan has changed since the last look; null: nothing. */
  tick(stream: Stream): "on" | "off" | null {
    const before = this.#before;
    this.#before = null;
    if (stream.desiredState === "stopped" || stream.plan === "") return null;
    const plan = `${stream.plan}\n${stream.planTimeZone}`;
    const isOff = this.isOff(stream);
    this.#before = { plan, isOff };
    // a change of the plan, and a start of the stream or the service, bring it to that as well
    if (before?.plan !== plan || before.isOff === isOff) return null;
    return isOff ? "off" : "on";
  }
}
