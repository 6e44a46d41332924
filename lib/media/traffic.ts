/** How much of each channel viewers were sent through this service. */
import type { StreamId } from "../model/id.ts";

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

  /** A channel that is no more. */
  forget(id: StreamId): void {
    this.#bytes.delete(id);
  }
}
