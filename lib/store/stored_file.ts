/** A file whose content is in memory as well. All its changes go through one queue; a crash leaves the old or the new file. */
import { readOrNull, removeTemporaryFiles, writeFileAtomic } from "../os/files.ts";

/** Secrets, names and habits: none of these files is anybody else's business. */
export const PRIVATE = 0o600;

/** What runs a write, and may make room for it on a full disk. */
export interface WriteRoom {
  use<Result>(write: () => Promise<Result>): Promise<Result>;
}

/** Writes once, and takes what comes of it. */
export const AS_IT_IS: WriteRoom = { use: (write) => write() };

export interface FileFormat<Content> {
  /** Of a file that is missing. */
  empty: Content;
  /** @throws what is said of a file that cannot be used. */
  parse(text: string): Content | Promise<Content>;
  format(content: Content): string;
  /** Characters that a change may not exceed, unless the file shrinks; and what is said then. */
  limit?: { length: number; problem(): Error };
}

export class StoredFile<Content> {
  #path: string;
  #format: FileFormat<Content>;
  #room: WriteRoom;
  #content: Content;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(path: string, format: FileFormat<Content>, room: WriteRoom, content: Content) {
    this.#path = path;
    this.#format = format;
    this.#room = room;
    this.#content = content;
  }

  /** @throws what `parse` throws: then the file stays as it is. */
  static async open<Content>(
    path: string,
    format: FileFormat<Content>,
    room: WriteRoom,
  ): Promise<StoredFile<Content>> {
    await removeTemporaryFiles(path);
    const text = await readOrNull(path);
    if (text === null) return new StoredFile(path, format, room, format.empty);
    await Deno.chmod(path, PRIVATE);
    return new StoredFile(path, format, room, await format.parse(text));
  }

  get content(): Content {
    return this.#content;
  }

  /**
   * Applies a change and writes it to disk before it is seen by anyone.
   * `change` gets the newest content and returns the new one, or the very same if there is nothing to write; what it
   * throws is thrown and changes nothing.
   * @param seen is called with what was written as soon as it counts.
   */
  change(
    change: (content: Content) => Content | Promise<Content>,
    seen: (content: Content) => void = () => {},
  ): Promise<void> {
    const { format, limit } = this.#format;
    const result = this.#last.then(async () => {
      const next = await change(this.#content);
      if (next === this.#content) return;
      const text = format(next);
      const isTooLong = limit && text.length > limit.length && text.length > format(this.#content).length;
      if (isTooLong) throw limit.problem();
      await this.#room.use(() => writeFileAtomic(this.#path, text, PRIVATE));
      this.#content = next;
      seen(next);
    });
    this.#last = result.catch(() => {});
    return result;
  }

  /** Resolves when all changes so far are on disk. */
  async settled(): Promise<void> {
    await this.#last;
  }
}
