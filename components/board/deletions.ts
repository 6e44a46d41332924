/** The streams that this page deletes: hidden at once, and deleted when nobody can take it back any more. */
import { forEachOf } from "../select/selection.ts";

/** The number of streams under a command at a time: the browser's few other connections are for the page. */
export const AT_ONCE = 3;

export interface DeletionParts {
  /** Deletes a stream. It is called once for each, and at once when the page is left: the page cannot wait then. */
  send(id: string): Promise<void>;
  /** Takes the ids of the streams that are hidden. */
  onchange(hidden: ReadonlySet<string>): void;
}

export class Deletions {
  readonly #parts: DeletionParts;
  /** The hidden streams; a promise: the request is under way. */
  readonly #hidden = new Map<string, Promise<void> | null>();

  constructor(parts: DeletionParts) {
    this.#parts = parts;
  }

  hide(ids: readonly string[]): void {
    for (const id of ids) this.#hidden.set(id, null);
    this.#changed();
  }

  /** Shows streams again that are not deleted after all. */
  show(ids: readonly string[]): void {
    for (const id of ids) this.#hidden.delete(id);
    this.#changed();
  }

  /** Deletes streams. @returns those that could not be deleted, which are shown again. */
  async send(ids: readonly string[]): Promise<{ item: string; error: unknown }[]> {
    const failed = await forEachOf(ids, AT_ONCE, (id) => this.#sent(id));
    this.show(ids);
    return failed;
  }

  /** Deletes all hidden streams now: the page is left. */
  sendAll(): void {
    for (const id of this.#hidden.keys()) this.#sent(id).catch(() => {});
  }

  #sent(id: string): Promise<void> {
    const sent = this.#hidden.get(id) ?? this.#parts.send(id);
    this.#hidden.set(id, sent);
    return sent;
  }

  #changed(): void {
    this.#parts.onchange(new Set(this.#hidden.keys()));
  }
}
