/** A file of ours that has an entry for each stream. It is written as a whole, one time after the other. */
import type { StreamId } from "../model/id.ts";
import { readOrNull, removeTemporaryFiles, writeFileAtomic } from "../machine/os/files.ts";
import { errorText, log } from "../machine/tools/log.ts";
import { objectText } from "../machine/tools/turns.ts";
import { PRIVATE } from "./stored_file.ts";

/** How an entry is written, and read again. */
export interface EntryForm<Entry> {
  /** @throws {Error} when the value is no entry. */
  read(value: unknown): Entry;
  /** The entry as a value of JSON. */
  stored(entry: Entry): unknown;
}

export class EntriesFile<Entry> {
  readonly #path: string;
  readonly #form: EntryForm<Entry>;
  /** By a stream's id: the entries that the file has, or will have. */
  readonly #entries = new Map<string, Entry>();
  #written: Promise<void> = Promise.resolve();

  /** An empty one. @param form entries are values of JSON unless it is given. */
  constructor(
    path: string,
    form: EntryForm<Entry> = { read: (value) => value as Entry, stored: (entry) => entry },
  ) {
    this.#path = path;
    this.#form = form;
  }

  /**
   * Takes over what an earlier run has left; nothing where there is no such file, or where it cannot be read.
   * @param isKnown whether there is such a stream: entries of others go with the next write.
   */
  async load(isKnown: (id: string) => boolean = () => true): Promise<this> {
    try {
      await removeTemporaryFiles(this.#path);
      const stored: Record<string, unknown> = JSON.parse(await readOrNull(this.#path) ?? "{}");
      for (const [id, value] of Object.entries(stored)) {
        if (isKnown(id)) this.#entries.set(id, this.#form.read(value));
      }
    } catch (error) {
      log("warn", "a file of the streams is not read", { path: this.#path, error: errorText(error) });
    }
    return this;
  }

  ids(): StreamId[] {
    return [...this.#entries.keys()] as StreamId[];
  }

  get(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  /** Is in the file with the next `save`. */
  set(id: string, entry: Entry): void {
    this.#entries.set(id, entry);
  }

  /** @returns whether there was one. */
  delete(id: string): boolean {
    return this.#entries.delete(id);
  }

  /** Writes all entries, as they are when it comes to that. It never fails. */
  save(): Promise<void> {
    return this.#written = this.#written
      .then(async () => {
        const text = await objectText(
          this.#entries.keys(),
          (id) => this.#form.stored(this.#entries.get(id)!),
        );
        await writeFileAtomic(this.#path, text, PRIVATE);
      })
      .catch((error) =>
        log("warn", "a file of the streams is not written", { path: this.#path, error: errorText(error) })
      );
  }

  /** Resolves when all that was to be saved is in the file. */
  settled(): Promise<void> {
    return this.#written;
  }
}
