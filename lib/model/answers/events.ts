/** The events of a stream, for people: the first tab of the log page. Pure, and light enough for browsers. */
import type { StreamId } from "../id.ts";

/** The subjects of events. */
export const EVENT_KINDS = [
  "stream", // created, started, stopped, its settings changed
  "program", // restarted, and why; given up
  "page", // its opening, its status, its troubles
  "certificate",
  "console", // an error that the page's scripts logged
  "login",
  "takeover", // a person took the browser over by VNC, and left
  "reload",
  "profile", // emptied, or too big
] as const;

export type EventKind = typeof EVENT_KINDS[number];

export const EVENT_LEVELS = ["info", "warn", "error"] as const;

export type EventLevel = typeof EVENT_LEVELS[number];

/** The most events that are kept of a stream. */
export const MAX_EVENTS = 500;

/** Adds an event to a stream; most rooms need nothing else of this file. */
export type AddEvent = (id: StreamId, kind: EventKind, text: string, level?: EventLevel) => void;

/** The known events with the events that came, or came once more, since then. */
export function mergeEvents<Event extends { id: number }>(
  known: readonly Event[],
  news: readonly Event[],
): Event[] {
  if (news.length === 0) return [...known];
  const byId = new Map([...known, ...news].map((event) => [event.id, event]));
  return [...byId.values()].sort((a, b) => a.id - b.id).slice(-MAX_EVENTS);
}
