import type { StreamId } from "../model/id.ts";

/** One start of a stream. */
export interface Started {
  id: StreamId;
  /** Unix ms. */
  startedAt: number;
}

/** What is remembered of each running stream from round to round: until it stops, or is started again. */
export class StreamEntries<Stream extends Started, Entry> {
  #make: (stream: Stream) => Entry;
  #forgotten: (id: StreamId, entry: Entry) => void;
  #entries = new Map<StreamId, { startedAt: number; entry: Entry }>();

  /** @param forgotten hears of each entry that is dropped, and lets go of what it holds. */
  constructor(make: (stream: Stream) => Entry, forgotten: (id: StreamId, entry: Entry) => void) {
    this.#make = make;
    this.#forgotten = forgotten;
  }

  /** The entry of this start of the stream; a new one if the known one is of another start. */
  of(stream: Stream): Entry {
    const { id, startedAt } = stream;
    const known = this.#entries.get(id);
    if (known?.startedAt === startedAt) return known.entry;
    this.forget(id);
    const entry = this.#make(stream);
    this.#entries.set(id, { startedAt, entry });
    return entry;
  }

  get(id: StreamId): Entry | undefined {
    return this.#entries.get(id)?.entry;
  }

  /** Forgets all streams but these. */
  keep(ids: Iterable<StreamId>): void {
    const kept = new Set(ids);
    for (const id of [...this.#entries.keys()]) if (!kept.has(id)) this.forget(id);
  }

  /** Keeps the entry over a start of ours, which was part of what is remembered. */
  goOn({ id, startedAt }: Started): void {
    const known = this.#entries.get(id);
    if (known) known.startedAt = startedAt;
  }

  forget(id: StreamId): void {
    const known = this.#entries.get(id);
    if (!known) return;
    this.#entries.delete(id);
    this.#forgotten(id, known.entry);
  }

  clear(): void {
    this.keep([]);
  }

  [Symbol.iterator](): Iterator<[StreamId, Entry]> {
    return [...this.#entries].map(([id, { entry }]): [StreamId, Entry] => [id, entry]).values();
  }
}
