/** When a stream is on the air again, for its card. Pure. */

/** "08:00" of today, "Mon 08:00" of another day; as this browser's clock shows it, unless a time zone is given. */
export function returnText(at: number, now: number, timeZone?: string): string {
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "short", timeZone });
  const time = new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone }).format(at);
  if (day.format(at) === day.format(now)) return time;
  return `${new Intl.DateTimeFormat("en-GB", { weekday: "short", timeZone }).format(at)} ${time}`;
}
