/** Times for a card: when a stream is on the air again, and when its next page is shown. Pure. */

const WEEK_MS = 6 * 86_400_000;

/** "08:00" for today, "Mon 08:00" within a week, "1 Dec 08:00" later; in this browser's time zone unless another is given. */
export function returnText(at: number, now: number, timeZone?: string): string {
  const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "short", timeZone });
  const time = new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone }).format(at);
  if (day.format(at) === day.format(now)) return time;
  const named = at - now < WEEK_MS
    ? { weekday: "short" } as const
    : { day: "numeric", month: "short" } as const;
  return `${new Intl.DateTimeFormat("en-GB", { ...named, timeZone }).format(at)} ${time}`;
}

/** "14:05:30", in this browser's time zone unless another is given: a page may be shown for seconds. */
export function clockText(at: number, timeZone?: string): string {
  return new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone }).format(at);
}
