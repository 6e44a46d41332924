/** What happened to a stream, for people: the first tab of its log page. Pure, and light enough for browsers. */
import type { StreamId } from "../id.ts";

/** What an event is about. */
export const EVENT_KINDS = [
  "stream", // created, started, stopped, its settings changed
  "program", // restarted, and why; given up
  "page", // opened, its status, what is wrong with it
  "certificate",
  "console", // an error that the page's scripts logged
  "login",
  "takeover", // somebody took the browser over by VNC, and left
  "reload",
  "profile", // emptied, or too big
] as const;

export type EventKind = typeof EVENT_KINDS[number];

export const EVENT_LEVELS = ["info", "warn", "error"] as const;

export type EventLevel = typeof EVENT_LEVELS[number];

/** Events of a stream that are kept. */
export const MAX_EVENTS = 500;

/** Adds an event to a stream; all that most rooms need of it. */
export type AddEvent = (id: StreamId, kind: EventKind, text: string, level?: EventLevel) => void;

/** The events with those that came, or came once more, since they were asked for. */
export function mergeEvents<Event extends { id: number }>(
  known: readonly Event[],
  news: readonly Event[],
): Event[] {
  if (news.length === 0) return [...known];
  const byId = new Map([...known, ...news].map((event) => [event.id, event]));
  return [...byId.values()].sort((a, b) => a.id - b.id).slice(-MAX_EVENTS);
}
