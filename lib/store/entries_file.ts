/** A file of ours that has an entry for each stream. It is written as a whole, one time after the other. */
import type { StreamId } from "../model/id.ts";
import { readOrNull, writeFileAtomic } from "../os/files.ts";
import { errorText, log } from "../system/log.ts";
import { PRIVATE } from "./stored_file.ts";

export class EntriesFile<Entry> {
  readonly #path: string;
  /** By a stream's id: what the file has, or will have. */
  readonly #entries: Map<string, Entry>;
  #written: Promise<void> = Promise.resolve();

  /** @param entries those that the file has. */
  constructor(path: string, entries = new Map<string, Entry>()) {
    this.#path = path;
    this.#entries = entries;
  }

  /**
   * The file as an earlier web app has left it; an empty one where there is none, or where it cannot be read.
   * @param isKnown whether there is such a stream: entries of others go with the next write.
   */
  static async open<Entry>(path: string, isKnown: (id: string) => boolean): Promise<EntriesFile<Entry>> {
    const entries: [string, Entry][] = await readOrNull(path)
      .then((text) => Object.entries<Entry>(JSON.parse(text ?? "{}")))
      .catch((error) => {
        log("warn", "a file of the channels is not read", { path, error: errorText(error) });
        return [];
      });
    return new EntriesFile(path, new Map(entries.filter(([id]) => isKnown(id))));
  }

  get(id: StreamId): Entry | undefined {
    return this.#entries.get(id);
  }

  set(id: StreamId, entry: Entry): void {
    this.#entries.set(id, entry);
    this.#save();
  }

  delete(id: StreamId): void {
    if (this.#entries.delete(id)) this.#save();
  }

  /** Resolves when everything is in the file. */
  settled(): Promise<void> {
    return this.#written;
  }

  /** An entry that changes meanwhile is written as it is then. */
  #save(): void {
    this.#written = this.#written
      .then(() => writeFileAtomic(this.#path, JSON.stringify(Object.fromEntries(this.#entries)), PRIVATE))
      .catch((error) =>
        log("warn", "a file of the channels is not written", {
          path: this.#path,
          error: errorText(error),
        })
      );
  }
}
