/** Every stream's newest events, with reasons. The events are in memory, and on disk a moment later. */
import type { AddEvent } from "../model/answers/events.ts";
import { EventLog } from "../model/answers/event_log.ts";
import { isStreamId, type StreamId } from "../model/id.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { Part } from "../machine/tools/part.ts";
import { Loop } from "../machine/tools/time.ts";
import type { Timings } from "../timings.ts";
import { EventFile, eventFile } from "../store/event_file.ts";
import type { EventPart, StreamEvent } from "../model/answers/shapes.ts";

export interface StreamEventsParts {
  streamsDir: string;
  /** Whether the stream exists: other ids have no events. */
  isKnown(id: StreamId): boolean;
  limits: Pick<Timings, "eventsSaveMs" | "eventsRetryMs">;
  now: () => number;
  elapsed: () => number;
}

interface Entry {
  log: EventLog;
  file: EventFile;
}

export class StreamEvents implements Part {
  /** Gets each event that is added here. */
  onadded: AddEvent = () => {};
  #parts: StreamEventsParts;
  #entries = new Map<StreamId, Entry>();
  #loop = new Loop("events not written");
  /** The queue of writes: one after the other, and none after a stream was forgotten. */
  #disk: Promise<void> = Promise.resolve();
  #retryAt = 0;

  constructor(parts: StreamEventsParts) {
    this.#parts = parts;
  }

  /** Takes over the events of earlier runs, and removes the events of deleted streams. */
  static async open(parts: StreamEventsParts): Promise<StreamEvents> {
    const events = new StreamEvents(parts);
    for await (const { name, isDirectory } of Deno.readDir(parts.streamsDir)) {
      if (!isDirectory || !isStreamId(name)) continue;
      const path = eventFile(parts.streamsDir, name);
      try {
        if (parts.isKnown(name)) events.#entries.set(name, await EventFile.open(path));
        else await new EventFile(path).remove();
      } catch (error) {
        log("warn", "events of an earlier run not read", { stream: name, error: errorText(error) });
      }
    }
    return events;
  }

  /** @param text one plain sentence, without a secret. */
  readonly add: AddEvent = (id, kind, text, level = "info") => {
    if (!this.isKnown(id)) return;
    this.take(id, kind, text, level);
    this.onadded(id, kind, text, level);
  };

  /** Adds what another node has noted. */
  readonly take: AddEvent = (id, kind, text, level = "info") => {
    if (this.isKnown(id)) this.#entry(id).log.add(kind, text, level, this.#parts.now());
  };

  isKnown(id: StreamId): boolean {
    return this.#parts.isKnown(id);
  }

  /** A stream's events, the oldest first. */
  list(id: StreamId): readonly StreamEvent[] {
    return this.read(id).events;
  }

  /** A stream's events, the oldest first. @param after the `next` of an answer: only later events are read. */
  read(id: StreamId, after = 0): EventPart {
    const known = this.#entries.get(id)?.log;
    return { events: known?.since(after) ?? [], next: String(known?.changes ?? 0) };
  }

  /** Removes the events of a stream that was deleted. */
  async forget(id: StreamId): Promise<void> {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    await this.#queued(async () => {
      await entry?.file.remove();
    });
  }

  start(): void {
    this.#loop.start(this.#parts.limits.eventsSaveMs, () => this.#round());
  }

  /** Resolves when all events are on disk, or cannot be written. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.saved();
  }

  #round(): Promise<void> | undefined {
    if (this.#parts.elapsed() >= this.#retryAt) return this.saved();
  }

  /**
   * Writes all events so far. Resolves when the events are on disk, or cannot be written: with a full disk the events
   * stay in memory, and are written when there is room again.
   */
  saved(): Promise<void> {
    return this.#queued(async () => {
      for (const [id, { log: events, file }] of this.#entries) {
        try {
          await file.save(events);
        } catch (error) {
          this.#retryAt = this.#parts.elapsed() + this.#parts.limits.eventsRetryMs;
          log("warn", "events not stored", { stream: id, error: errorText(error) });
          return;
        }
      }
    });
  }

  #queued(work: () => Promise<void>): Promise<void> {
    const done = this.#disk.then(work);
    this.#disk = done.catch(() => {});
    return done;
  }

  #entry(id: StreamId): Entry {
    let entry = this.#entries.get(id);
    if (!entry) {
      entry = { log: new EventLog(), file: new EventFile(eventFile(this.#parts.streamsDir, id)) };
      this.#entries.set(id, entry);
    }
    return entry;
  }
}
