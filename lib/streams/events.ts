/** What happened to a stream, for people: the first tab of its log page. Pure, and light enough for browsers. */

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

export type EventLevel = "info" | "warn" | "error";

export interface StreamEvent {
  /** Unix ms. */
  at: number;
  kind: EventKind;
  level: EventLevel;
  /** One plain sentence, without a secret. */
  text: string;
}
