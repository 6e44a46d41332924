/** The words of events: their times in a zone, a line for each day, their kinds and levels. Pure. */
import type { EventKind, EventLevel } from "../../lib/model/answers/events.ts";
import type { IconName } from "../ui/Icon.tsx";
import type { StreamEvent } from "../../lib/model/answers/shapes.ts";

export const KIND_WORDS: Record<EventKind, string> = {
  stream: "Stream",
  program: "Program",
  page: "Page",
  certificate: "Certificate",
  console: "Console",
  login: "Login",
  takeover: "Takeover",
  reload: "Reload",
  profile: "Profile",
};

/** The word before an event's text; "" for the usual level. */
export const LEVEL_WORDS: Record<EventLevel, string> = { info: "", warn: "Warning", error: "Error" };

export const LEVEL_ICONS: Record<EventLevel, IconName> = { info: "info", warn: "warning", error: "error" };

interface Day {
  /** "Sunday, 22 November 2026" */
  name: string;
  events: StreamEvent[];
}

/** The events by the day when each came last. @param timeZone absent: the viewer's own. */
export function byDay(events: readonly StreamEvent[], timeZone?: string): Day[] {
  const days: Day[] = [];
  for (const event of events) {
    const name = dayName(event.lastAt, timeZone);
    const last = days.at(-1);
    if (last?.name === name) last.events.push(event);
    else days.push({ name, events: [event] });
  }
  return days;
}

/** "Sunday, 22 November 2026" */
export function dayName(at: number, timeZone?: string): string {
  return new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone }).format(at);
}

/** "14:03:27" */
export function timeOfDay(at: number, timeZone?: string): string {
  return new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone }).format(at);
}

/** "12 times since 14:03", with the day where it is another day; "" for an event that came once. */
export function countText({ count, at, lastAt }: StreamEvent, timeZone?: string): string {
  if (count === 1) return "";
  const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone });
  const time = new Intl.DateTimeFormat("en-GB", { timeStyle: "short", timeZone }).format(at);
  const since = day.format(at) === day.format(lastAt) ? time : `${day.format(at)}, ${time}`;
  return `${count} times since ${since}`;
}

/** Whether the shown words of the event contain the searched text, whatever its case. */
export function matches({ kind, level, text }: StreamEvent, query: string): boolean {
  const shown = `${KIND_WORDS[kind]} ${LEVEL_WORDS[level]} ${text}`;
  return shown.toLowerCase().includes(query.toLowerCase());
}
