/** The time when a stream is on the air again, for its card. Pure. */

/** "08:00" for today, "Mon 08:00" for another day; in this browser's time zone unless another is given. */
export function returnText(at: number, now: number, timeZone?: string): string {
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "short", timeZone });
  const time = new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone }).format(at);
  if (day.format(at) === day.format(now)) return time;
  return `${new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone }).format(at)} ${time}`;
}
