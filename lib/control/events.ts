/** Every stream's newest events: what happened, and why. */
import type { EventKind, EventLevel, StreamEvent } from "../streams/events.ts";
import type { StreamId } from "../streams/id.ts";

/** Events of a stream that are kept. */
const MAX_EVENTS = 500;

/** Adds an event; all that control/ needs of this file. */
export type AddEvent = (id: StreamId, kind: EventKind, text: string, level?: EventLevel) => void;

export class StreamEvents {
  #now: () => number;
  #events = new Map<StreamId, StreamEvent[]>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @param text one plain sentence, without a secret. */
  readonly add: AddEvent = (id, kind, text, level = "info") => {
    const events = this.#events.get(id) ?? [];
    this.#events.set(id, [...events.slice(1 - MAX_EVENTS), { at: this.#now(), kind, level, text }]);
  };

  /** A stream's events, the oldest first. */
  list(id: StreamId): readonly StreamEvent[] {
    return this.#events.get(id) ?? [];
  }

  /** Forgets a stream that was deleted. */
  forget(id: StreamId): void {
    this.#events.delete(id);
  }
}
