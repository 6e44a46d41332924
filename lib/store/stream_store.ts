/** Where the stream list is kept. What every keeper of it promises is tests/support/store_contract.ts. */
import type { Stream } from "../model/schema.ts";

/** Gets the newest list and returns the new one, or the same object if there is nothing to write. It may be called again. */
export type ListChange = (
  streams: readonly Stream[],
) => readonly Stream[] | Promise<readonly Stream[]>;

export interface StreamStore {
  /** A text that every change of the list makes another; 1 to 40 of A-Z, a-z, 0-9, "_" and "-". */
  readonly version: string;
  /** All streams in card order, each with a channel number of its own; do not change them. */
  list(): readonly Stream[];
  get(id: string): Stream | undefined;
  /**
   * Applies a change; readers see the new list only when it is kept. An error of `change` is thrown on and changes
   * nothing.
   */
  change(change: ListChange): Promise<void>;
  /** Resolves when all changes so far are kept. */
  settled(): Promise<void>;
}
