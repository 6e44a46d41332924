/**
 * A person's wish for a planned stream, which counts until a time instead of the plan: on the air now, or stopped until the
 * plan's next time. It is stored with the stream, so that a start of the service does not end it. Pure, also for browsers.
 */
import { badInput } from "../../errors.ts";

export interface PlanOverride {
  onAir: boolean;
  /** Unix ms; the plan alone counts again then. */
  until: number;
}

/** How long an override lasts: minutes, or until the plan's next time begins. */
export type OverrideTime = number | "next";

const MINUTE_MS = 60_000;

interface Overridden {
  plan: string;
  planTimeZone: string;
  desiredState: string;
  planOverride?: PlanOverride;
}

/** The changed stream with the override of before: a change of the plan or of the desired state ends it. */
export function withOverrideOf<Changed extends Overridden>(
  before: Overridden | undefined,
  after: Changed,
): Changed {
  const { planOverride: _, ...changed } = after;
  const fields = ["plan", "planTimeZone", "desiredState"] as const;
  const isSame = before?.planOverride !== undefined &&
    fields.every((field) => before[field] === after[field]);
  return (isSame ? { ...changed, planOverride: before.planOverride } : changed) as Changed;
}

/** The end of some minutes, at a whole minute: a plan changes at whole minutes. @returns Unix ms. */
export function endOf(minutes: number, now: number): number {
  return Math.ceil((now + minutes * MINUTE_MS) / MINUTE_MS) * MINUTE_MS;
}

/** A week. */
const MOST_MINUTES = 10_080;

/**
 * The time that a start or a stop asks for: `?minutes=60`, or `?until=next`; null: it asks for none.
 * @param takesMinutes whether minutes can be asked for. @throws {ServiceError} 400.
 */
export function overrideTime(url: URL, takesMinutes: boolean): OverrideTime | null {
  const [minutes, until] = [url.searchParams.get("minutes"), url.searchParams.get("until")];
  if (until !== null && (until !== "next" || minutes !== null)) {
    throw badInput({ until: 'until is "next", alone. Example: ?until=next' });
  }
  if (until !== null) return "next";
  if (minutes === null) return null;
  if (!takesMinutes) throw badInput({ minutes: "A stop takes no minutes. Example: ?until=next" });
  const number = /^\d{1,5}$/.test(minutes) ? Number(minutes) : 0;
  if (number >= 1 && number <= MOST_MINUTES) return number;
  throw badInput({ minutes: `minutes is a whole number from 1 to ${MOST_MINUTES}. Example: ?minutes=60` });
}
