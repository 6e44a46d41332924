/** The stream list on disk. All changes go through one queue; a crash leaves the old or the new file. */
import { randomBytes } from "node:crypto";
import { badInput, type ServiceError } from "../errors.ts";
import { readOrNull, removeTemporaryFiles, writeFileAtomic } from "../system/files.ts";
import { formatStreamFile, parseStreamFile, type StreamFile, StreamFileError } from "./file.ts";
import type { Stream } from "./schema.ts";

/** The list holds passwords. */
const MODE = 0o600;

/** Characters of the whole list. It is written at every change and sent to every board, each time as a whole. */
const MAX_LENGTH = 4 * 1024 * 1024;

function tooLong(): ServiceError {
  return badInput({ "": `All streams together would need more than ${MAX_LENGTH / 1024 / 1024} MiB.` });
}

/** What runs a write, and may make room for it on a full disk. */
export interface WriteRoom {
  use<Result>(write: () => Promise<Result>): Promise<Result>;
}

/** Writes once, and takes what comes of it. */
export const AS_IT_IS: WriteRoom = { use: (write) => write() };

export class StreamStore {
  #path: string;
  #room: WriteRoom;
  #file: StreamFile;
  #last: Promise<unknown> = Promise.resolve();
  #run = randomBytes(6).toString("base64url");
  #changes = 0;

  private constructor(path: string, file: StreamFile, room: WriteRoom) {
    this.#path = path;
    this.#room = room;
    this.#file = file;
  }

  /**
   * Opens the list; a missing file is an empty one.
   * @throws {StreamFileError} when the file cannot be used: it stays where it is, and a copy with its time is kept.
   */
  static async open(path: string, room = AS_IT_IS): Promise<StreamStore> {
    await removeTemporaryFiles(path);
    const text = await readOrNull(path);
    if (text === null) return new StreamStore(path, { streams: [], wrapper: null }, room);
    await Deno.chmod(path, MODE);
    try {
      return new StreamStore(path, parseStreamFile(text), room);
    } catch (error) {
      if (!(error instanceof StreamFileError)) throw error;
      const copy = await copyBeside(path);
      throw new StreamFileError(
        `The stream list ${path} cannot be read: ${error.message}.\n` +
          `A copy is kept as ${copy}. Correct the file, or remove it to begin with an empty list.`,
      );
    }
  }

  /** Says whether the list is still the same, also over a new start; 1 to 40 of A-Z, a-z, 0-9, "_" and "-". */
  get version(): string {
    return `${this.#run}-${this.#changes}`;
  }

  /** All streams in card order; do not change them. */
  list(): readonly Stream[] {
    return this.#file.streams;
  }

  get(id: string): Stream | undefined {
    return this.#file.streams.find((stream) => stream.id === id);
  }

  /**
   * Applies a change and writes it to disk before it is seen by anyone.
   * `change` gets the newest list and returns the new one, or the very same if there is nothing to write; what it
   * throws is thrown and changes nothing.
   */
  change(
    change: (streams: readonly Stream[]) => readonly Stream[] | Promise<readonly Stream[]>,
  ): Promise<void> {
    const result = this.#last.then(async () => {
      const streams = await change(this.#file.streams);
      if (streams === this.#file.streams) return;
      const next = { ...this.#file, streams: streams.toSorted((a, b) => a.order - b.order) };
      const text = formatStreamFile(next);
      if (text.length > MAX_LENGTH && text.length > formatStreamFile(this.#file).length) throw tooLong();
      await this.#room.use(() => writeFileAtomic(this.#path, text, MODE));
      this.#file = next;
      this.#changes++;
    });
    this.#last = result.catch(() => {});
    return result;
  }

  /** Resolves when all changes so far are on disk. */
  async settled(): Promise<void> {
    await this.#last;
  }
}

/** Copies an unusable list beside itself; the name carries the file's time, so starting again adds no second copy. */
async function copyBeside(path: string): Promise<string> {
  const changed = (await Deno.stat(path)).mtime ?? new Date();
  const copy = `${path}.unreadable-${changed.toISOString().replace(/[:.]/g, "-")}`;
  if (await readOrNull(copy) === null) await writeFileAtomic(copy, await Deno.readFile(path), MODE);
  return copy;
}
