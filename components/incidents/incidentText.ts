/** The words of the page "Incidents". Pure. */
import type { Incident } from "../../lib/model/answers/shapes.ts";
import { duration } from "../board/boardState.ts";
import { dayName, timeOfDay } from "../log/eventText.ts";

/** The kinds of incidents, as one chooses among them. */
export const KINDS: Record<Incident["kind"], string> = {
  failed: "Degraded or failed",
  signedOut: "Signed out",
  disk: "Full disk",
  certificate: "Certificate",
};

/** What an incident is beside its stream's state; "": the state says it all. */
export const KIND_WORDS: Record<Incident["kind"], string> = { ...KINDS, failed: "" };

interface Day {
  /** "Sunday, 29 November 2026" */
  name: string;
  incidents: Incident[];
}

/** The incidents by the day when each began. @param timeZone absent: the viewer's own, as in all that follows. */
export function byFirstDay(incidents: readonly Incident[], timeZone?: string): Day[] {
  const days = new Map<string, Incident[]>();
  for (const one of incidents) {
    const name = dayName(one.from, timeZone);
    days.set(name, [...days.get(name) ?? [], one]);
  }
  return [...days].map(([name, incidents]) => ({ name, incidents }));
}

/** "14:03:27, goes on", "14:03:27 to 14:05:27, for 2 min", with the day of an end on another day. */
export function spanText({ from, to }: Pick<Incident, "from" | "to">, timeZone?: string): string {
  const begin = timeOfDay(from, timeZone);
  if (to === null) return `${begin}, goes on`;
  const day = dayName(to, timeZone);
  const end = day === dayName(from, timeZone)
    ? timeOfDay(to, timeZone)
    : `${day}, ${timeOfDay(to, timeZone)}`;
  return `${begin} to ${end}, for ${duration((to - from) / 1000)}`;
}
