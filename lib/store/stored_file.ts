/** A file whose content is in memory as well. One queue has all changes; a crash leaves the old or the new file. */
import { readOrNull, removeTemporaryFiles, writeFileAtomic } from "../os/files.ts";

/** The mode of files with secrets, names and habits: only the owner reads them. */
export const PRIVATE = 0o600;

/** Runs a write, and may make room for the write on a full disk. */
export interface WriteRoom {
  use<Result>(write: () => Promise<Result>): Promise<Result>;
}

/** Writes once, and makes no room. */
export const AS_IT_IS: WriteRoom = { use: (write) => write() };

export interface FileFormat<Content> {
  /** The content of a missing file. */
  empty: Content;
  /** @throws the error of a file that cannot be used. */
  parse(text: string): Content | Promise<Content>;
  format(content: Content): string;
  /** Characters that a change may not exceed, unless the file shrinks; and the error of a longer text. */
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

  /** @throws the error of `parse`: then the file stays unchanged. */
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
   * Applies a change; readers see the new content only when the disk has it.
   * `change` gets the newest content and returns the new one, or the same object if there is nothing to write; an error
   * of `change` is thrown on and changes nothing.
   * @param seen is called with the new content as soon as readers see it.
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
