/** Moments as people type them: in the clock of their own time zone, which leaves hours out, and has others twice. Pure. */

/** What a field for a date and a time holds: "2026-11-30T21:10:00". @param timeZone absent: the viewer's own. */
export function localText(at: number, timeZone?: string): string {
  const parts = new Intl.DateTimeFormat("en-US", {
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZone,
  }).formatToParts(at * 1000);
  const part = (name: string) => parts.find(({ type }) => type === name)!.value;
  const year = part("year").padStart(4, "0");
  return `${year}-${part("month")}-${part("day")}T${part("hour")}:${part("minute")}:${part("second")}`;
}

const WHOLE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/;
const DAY = 86_400;

/**
 * The moments, as Unix times in s, at which the clock shows this: one; none, where it is put forward; two, where it is put
 * back. Null: it is no whole date and time. @param timeZone absent: the viewer's own.
 */
export function momentsOf(text: string, timeZone?: string): number[] | null {
  const whole = text.length === 16 ? `${text}:00` : text;
  const asUtc = WHOLE.test(text) ? utcOf(whole) : NaN;
  if (Number.isNaN(asUtc)) return null;
  const zones = [asUtc - DAY, asUtc + DAY].map((near) => utcOf(localText(near, timeZone)) - near);
  return [...new Set(zones.map((ahead) => asUtc - ahead))]
    .filter((at) => localText(at, timeZone) === whole).sort((one, other) => one - other);
}

const utcOf = (text: string) => Date.parse(`${text}Z`) / 1000;
