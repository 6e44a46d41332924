/** The stream list on disk. All changes go through one queue; a crash leaves the old or the new file. */
import { randomBytes } from "node:crypto";
import { badInput } from "../errors.ts";
import { readOrNull, writeFileAtomic } from "../machine/os/files.ts";
import { formatStreamFile, parseStreamFile, type StreamFile, StreamFileError } from "../model/file.ts";
import { withNumbers } from "../model/channel.ts";
import type { Stream } from "../model/schema.ts";
import { repeatedField } from "../machine/tools/json_bounds.ts";
import { errorText, log } from "../machine/tools/log.ts";
import type { ListChange, StreamStore } from "./stream_store.ts";
import { AS_IT_IS, type FileFormat, PRIVATE, StoredFile } from "./stored_file.ts";

/** Characters of the whole list. Every change writes the whole list and sends it to every board. */
const MAX_LENGTH = 4 * 1024 * 1024;

const tooLong = () =>
  badInput({ "": `All streams together would need more than ${MAX_LENGTH / 1024 / 1024} MiB.` });

function formatOf(path: string): FileFormat<StreamFile> {
  return {
    empty: { streams: [], wrapper: null },
    parse: async (text) => {
      const file = await parsedOrCopied(text, path);
      return { ...file, streams: withNumbers(file.streams) };
    },
    format: formatStreamFile,
    limit: { length: MAX_LENGTH, problem: tooLong },
  };
}

/**
 * Parses the list's text. Of a field that a file edited by hand has twice, the last one counts; a copy of the file keeps both.
 * @throws {StreamFileError} that names the file's copy.
 */
async function parsedOrCopied(text: string, path: string): Promise<StreamFile> {
  try {
    const file = parseStreamFile(text);
    const field = repeatedField(text);
    if (field !== null) {
      // without room for a copy the list is used all the same: nothing is written over it either
      const copy = await copyBeside(path, "edited").catch(errorText);
      log("warn", "the stream list has a field twice; the last one counts", { path, field, copy });
    }
    return file;
  } catch (error) {
    if (!(error instanceof StreamFileError)) throw error;
    const copy = await copyBeside(path, "unreadable");
    throw new StreamFileError(
      `The stream list ${path} cannot be read: ${error.message}.\n` +
        `A copy is kept as ${copy}. Correct the file, or remove it to begin with an empty list.`,
    );
  }
}

export class FileStreamStore implements StreamStore {
  #file: StoredFile<StreamFile>;
  #run = randomBytes(6).toString("base64url");
  #changes = 0;

  private constructor(file: StoredFile<StreamFile>) {
    this.#file = file;
  }

  /**
   * Opens the list; a missing file is an empty list.
   * @throws {StreamFileError} when the file cannot be used: it stays there, and a copy has the file's time in its name.
   */
  static async open(path: string, room = AS_IT_IS): Promise<FileStreamStore> {
    return new FileStreamStore(await StoredFile.open(path, formatOf(path), room));
  }

  /** Every start makes it another, too: the file may have been edited meanwhile. */
  get version(): string {
    return `${this.#run}-${this.#changes}`;
  }

  list(): readonly Stream[] {
    return this.#file.content.streams;
  }

  get(id: string): Stream | undefined {
    return this.list().find((stream) => stream.id === id);
  }

  change(change: ListChange): Promise<void> {
    return this.#file.change(async (file) => {
      const streams = await change(file.streams);
      if (streams === file.streams) return file;
      return { ...file, streams: withNumbers(streams.toSorted((a, b) => a.order - b.order)) };
    }, () => this.#changes++);
  }

  settled(): Promise<void> {
    return this.#file.settled();
  }
}

/** Copies a list beside itself; the copy's name has the file's time, so a new start adds no second copy. */
async function copyBeside(path: string, what: "edited" | "unreadable"): Promise<string> {
  const changed = (await Deno.stat(path)).mtime ?? new Date();
  const copy = `${path}.${what}-${changed.toISOString().replace(/[:.]/g, "-")}`;
  if (await readOrNull(copy) === null) await writeFileAtomic(copy, await Deno.readFile(path), PRIVATE);
  return copy;
}
