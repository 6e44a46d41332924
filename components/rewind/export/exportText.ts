/** Films of the past in words. Pure. Moments are Unix times in s. */
import { clockText, dateText, zoneText } from "../moment.ts";
import type { Range } from "../past.ts";

const UNITS = [["hour", 3600], ["minute", 60], ["second", 1]] as const;

/** "1 hour 5 seconds". @param seconds whole ones. */
export function lengthText(seconds: number): string {
  let rest = seconds;
  const parts = UNITS.flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? [`${count} ${unit}${count === 1 ? "" : "s"}`] : [];
  });
  return parts.join(" ") || "0 seconds";
}

/** How long a film is. @param seconds also parts of one. */
export function filmLengthText(seconds: number): string {
  return seconds < 1 ? "less than a second" : lengthText(Math.round(seconds));
}

/** "21:10:00 to 21:15:00", with the zones where the clock was changed between them. */
export function timesText({ start, end }: Range, timeZone?: string): string {
  const zones = [zoneText(start, timeZone), zoneText(end, timeZone)];
  const [from, to] = [clockText(start, timeZone), clockText(end, timeZone)];
  return zones[0] === zones[1] ? `${from} to ${to}` : `${from} ${zones[0]} to ${to} ${zones[1]}`;
}

/** "Monday 30 November 2026", or two days. */
export function daysText({ start, end }: Range, timeZone?: string): string {
  const [first, last] = [dateText(start, timeZone), dateText(end, timeZone)];
  return first === last ? first : `${first} to ${last}`;
}

/** "Monday 30 November 2026, 21:10:00 to 21:15:00" */
export function rangeText(range: Range, timeZone?: string): string {
  return `${daysText(range, timeZone)}, ${timesText(range, timeZone)}`;
}

/** "830 kB", "12.4 MB" */
export function sizeText(bytes: number): string {
  if (bytes < 1e6) return `${Math.max(1, Math.round(bytes / 1e3))} kB`;
  const [unit, size] = bytes < 1e9 ? ["MB", 1e6] as const : ["GB", 1e9] as const;
  return `${(bytes / size).toFixed(1)} ${unit}`;
}
