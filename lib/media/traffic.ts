/** How much of each channel viewers were sent through this service. */
import type { StreamId } from "../streams/id.ts";

export class Traffic {
  #bytes = new Map<StreamId, number>();

  /** Notes an answer with a part of the channel. */
  note(id: StreamId, bytes: number): void {
    this.#bytes.set(id, this.bytes(id) + bytes);
  }

  /** Since the web app's start. */
  bytes(id: StreamId): number {
    return this.#bytes.get(id) ?? 0;
  }

  /** Forgets all channels but these. */
  keep(ids: readonly StreamId[]): void {
    const kept = new Set(ids);
    for (const id of this.#bytes.keys()) if (!kept.has(id)) this.#bytes.delete(id);
  }
}
