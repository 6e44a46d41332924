/**
 * A file whose content is in memory as well. One queue has all changes; a crash leaves the old or the new file. In a cluster
 * it is the copy of a text that all nodes share.
 */
import { errorText, log, logRarely } from "../machine/tools/log.ts";
import { changeText, notReached, type Shareable, type SharedText } from "./shared_text.ts";
import { readOrNull, removeTemporaryFiles, writeFileAtomic } from "../machine/os/files.ts";

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

export class StoredFile<Content> implements Shareable {
  #path: string;
  #format: FileFormat<Content>;
  #room: WriteRoom;
  #content: Content;
  /** What we have last read or written; null: nothing. */
  #onDisk: string | null;
  #last: Promise<unknown> = Promise.resolve();
  /** The copy that is yet to be on disk, null: there is none; and when it is. */
  #newest: string | null = null;
  #copied: Promise<void> = Promise.resolve();
  /** Null: the machine is alone, or awaits its cluster. */
  #shared: SharedText | null = null;
  #awaitsShared = false;
  /** Runs when another node has changed the content. */
  onchange: (content: Content) => void = () => {};

  private constructor(
    path: string,
    format: FileFormat<Content>,
    room: WriteRoom,
    text: string | null,
    content: Content,
  ) {
    this.#path = path;
    this.#format = format;
    this.#room = room;
    this.#content = content;
    this.#onDisk = text;
  }

  /** @throws the error of `parse`: then the file stays unchanged. */
  static async open<Content>(
    path: string,
    format: FileFormat<Content>,
    room: WriteRoom,
  ): Promise<StoredFile<Content>> {
    await removeTemporaryFiles(path);
    const text = await readOrNull(path);
    if (text === null) return new StoredFile(path, format, room, null, format.empty);
    await Deno.chmod(path, PRIVATE);
    return new StoredFile(path, format, room, text, await format.parse(text));
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
    return this.#inTurn(async () => {
      if (this.#shared) return await this.#changeShared(this.#shared, change, seen);
      if (this.#awaitsShared) throw notReached();
      const next = await change(this.#content);
      const text = this.#textOf(this.#content, next);
      if (text === null) return;
      await this.#write(text);
      this.#content = next;
      seen(next);
    });
  }

  /** The same for all nodes: the file is a copy, without which the change holds as well. */
  async #changeShared(
    shared: SharedText,
    change: (content: Content) => Content | Promise<Content>,
    seen: (content: Content) => void,
  ): Promise<void> {
    let next = this.#content;
    const text = await changeText(shared, async (known) => {
      const before = known === null ? this.#content : await this.#format.parse(known);
      next = await change(before);
      return this.#textOf(before, next);
    });
    if (text === null) return;
    this.#content = next;
    seen(next);
    this.#writeCopy(text);
  }

  /** The text that a change writes; null: it writes nothing. @throws the error of a text that is too long. */
  #textOf(before: Content, next: Content): string | null {
    const { format, limit } = this.#format;
    if (next === before) return null;
    const text = format(next);
    const isTooLong = limit && text.length > limit.length && text.length > format(before).length;
    if (isTooLong) throw limit.problem();
    return text;
  }

  async #write(text: string): Promise<void> {
    await this.#room.use(() => writeFileAtomic(this.#path, text, PRIVATE));
    this.#onDisk = text;
  }

  /** Writes a copy in the background: the nodes' shared text is used here also while the disk is slow or full. */
  #writeCopy(text: string): void {
    this.#newest = text;
    this.#copied = this.#copied.then(() => text === this.#newest ? this.#write(text) : undefined)
      .catch((error) =>
        log("error", "the copy of what the nodes share was not written", {
          file: this.#path,
          error: errorText(error),
        })
      ).finally(() => {
        if (text === this.#newest) this.#newest = null;
      });
  }

  /** Takes what another program has written to the file, such as a command. @throws the error of `parse`, once. */
  reread(): Promise<void> {
    return this.#inTurn(async () => {
      // the file is an older one; who waited for a slow disk would keep back what other nodes change
      if (this.#newest !== null) return;
      const text = await readOrNull(this.#path);
      const isWaiting = this.#awaitsShared && !this.#shared;
      if (text === null || text === this.#onDisk || isWaiting) return;
      this.#onDisk = text;
      const content = await this.#format.parse(text);
      if (this.#shared) await changeText(this.#shared, () => this.#format.format(content));
      this.#content = content;
      this.onchange(content);
    });
  }

  awaitShared(): void {
    this.#awaitsShared = true;
  }

  async follow(shared: SharedText): Promise<void> {
    const { text } = shared;
    if (text === null) await shared.put(this.#format.format(this.#content), null);
    this.#shared = shared;
    shared.onchange = () => void this.#take(shared);
    await this.#take(shared);
  }

  /** Takes what another node has written. A text that this version cannot read is left alone. */
  #take({ text }: SharedText): Promise<void> {
    return this.#inTurn(async () => {
      if (text === null || text !== this.#shared?.text || text === this.#format.format(this.#content)) return;
      this.#content = await this.#format.parse(text);
      this.onchange(this.#content);
      this.#writeCopy(text);
    }).catch((error) =>
      logRarely("error", "another node's change was not applied", {
        file: this.#path,
        error: errorText(error),
      })
    );
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Resolves when all changes so far are on disk. */
  async settled(): Promise<void> {
    await this.#last;
    await this.#copied;
  }
}
