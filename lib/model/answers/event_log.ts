/** One stream's newest events, within limits that no page or fault exceeds. Pure. */
import { ServiceError } from "../../errors.ts";
import { withoutLogins } from "../secret_addresses.ts";
import { EVENT_KINDS, EVENT_LEVELS, type EventKind, type EventLevel, MAX_EVENTS } from "./events.ts";
import type { StreamEvent } from "./shapes.ts";

/** Characters of an event's text; a page's message may have any length. */
const MAX_TEXT = 300;

/** Events of one kind within a minute: a page that logs an error with each frame must not push out all other events. */
const MOST_A_MINUTE = 30;

/** Control characters, and characters that turn the direction of the text after them. */
const CONTROL = /[\p{Cc}\u202a-\u202e\u2066-\u2069]+/gu;

interface ChangedEvent extends StreamEvent {
  /** The number of the log's change; an event that comes again gets a new number. */
  change: number;
}

export class EventLog {
  #events: ChangedEvent[] = [];
  #changes = 0;
  #minutes = new Map<EventKind, { minute: number; count: number }>();

  /** The number of the newest change; 0 while there is none. */
  get changes(): number {
    return this.#changes;
  }

  /** Adds an event, or counts the last event once more if both are the same. @param now Unix ms. */
  add(kind: EventKind, said: string, level: EventLevel, now: number): void {
    const isTooMany = this.#countOfMinute(kind, now) > MOST_A_MINUTE;
    const text = isTooMany
      ? `More than ${MOST_A_MINUTE} events of this kind came within a minute; the others are only counted.`
      : withoutLogins(said).replace(CONTROL, " ").trim().slice(0, MAX_TEXT);
    // two floods at once would alternate
    const last = isTooMany ? this.#events.findLast((event) => event.kind === kind) : this.#events.at(-1);
    const change = ++this.#changes;
    if (last?.kind === kind && last.level === level && last.text === text) {
      Object.assign(last, { count: last.count + 1, lastAt: now, change });
      return;
    }
    this.#events.push({ id: change, at: now, kind, level, text, count: 1, lastAt: now, change });
    if (this.#events.length > MAX_EVENTS) this.#events.splice(this.#leastNeeded(), 1);
  }

  /** The events that came, or came again, after that change, the oldest first; all if that number is yet to come. */
  since(change: number): StreamEvent[] {
    const from = change > this.#changes ? 0 : change;
    return this.#events.filter((event) => event.change > from).map(({ change: _, ...event }) => event);
  }

  /** The log of a text of one JSON object a line, as `eventLines` writes it. Lines that are no event are left out. */
  static parse(text: string): EventLog {
    const log = new EventLog();
    const events = new Map<number, ChangedEvent>();
    for (const line of text.split("\n")) {
      const event = parseEvent(line);
      if (event) events.set(event.id, { ...event, change: event.id });
    }
    log.#events = [...events.values()].sort((a, b) => a.id - b.id).slice(-MAX_EVENTS);
    // an id is the number of a change, so the next number must be larger than all stored ones
    log.#changes = log.#events.reduce((most, { id, count }) => Math.max(most, id + count - 1), 0);
    return log;
  }

  #countOfMinute(kind: EventKind, now: number): number {
    const minute = Math.floor(now / 60_000);
    const seen = this.#minutes.get(kind);
    const count = seen?.minute === minute ? seen.count + 1 : 1;
    this.#minutes.set(kind, { minute, count });
    return count;
  }

  /** The position of the oldest event of the most frequent kind, so that no kind pushes the others out. */
  #leastNeeded(): number {
    const counts = new Map<EventKind, number>();
    for (const { kind } of this.#events) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const [most] = [...counts].reduce((a, b) => b[1] > a[1] ? b : a);
    return this.#events.findIndex(({ kind }) => kind === most);
  }
}

/** The text that `EventLog.parse` reads back; of two lines with one id the later line counts. */
export function eventLines(events: readonly StreamEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join("");
}

/** The change in an answer's `next`; null gives 0. @throws {ServiceError} 400 when the text is no change. */
export function eventOffset(text: string | null): number {
  if (text === null) return 0;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const problem = "after must be what the answer before has as next, such as 42.";
  throw new ServiceError(400, problem, { after: problem });
}

function parseEvent(line: string): StreamEvent | null {
  try {
    const { id, at, kind, level, text, count, lastAt } = JSON.parse(line);
    const isWhole = [id, at, count, lastAt].every((number) => Number.isSafeInteger(number) && number >= 0);
    const isKnown = EVENT_KINDS.includes(kind) && EVENT_LEVELS.includes(level) && typeof text === "string";
    return isWhole && isKnown ? { id, at, kind, level, text: withoutLogins(text), count, lastAt } : null;
  } catch {
    return null; // the line of a write that was cut off
  }
}
