/** One stream's events on disk: lines are added to the end, and the file is written anew when it has grown. */
import { dirname, join } from "node:path";
import type { StreamId } from "../model/id.ts";
import { eventLines, EventLog } from "../model/answers/event_log.ts";
import { readOrNull, removeTemporaryFiles, removeTree, writeFileAtomic } from "../machine/os/files.ts";

/** Characters of the file; the kept events have at most half as many. */
const MAX_CHARACTERS = 512 * 1024;

/** No other user of the machine may read the messages of a page behind a login. */
const FILE_MODE = 0o600, FOLDER_MODE = 0o700;

/** The path of a stream's events, beside the thumbnail. */
export function eventFile(streamsDir: string, id: StreamId): string {
  return join(streamsDir, id, "events.jsonl");
}

export class EventFile {
  #path: string;
  #length: number;
  /** The log's number of changes at the last save. */
  #savedChange = 0;
  /** Whether the file's last line is cut off: added lines would not be read back. */
  #isTorn = false;

  constructor(path: string, text = "", savedChange = 0) {
    this.#path = path;
    this.#length = text.length;
    this.#savedChange = savedChange;
    this.#isTorn = text !== "" && !text.endsWith("\n");
  }

  /** A stream's file and its events; a missing file is an empty one. @throws {Error} when the file cannot be read. */
  static async open(path: string): Promise<{ file: EventFile; log: EventLog }> {
    await removeTemporaryFiles(path);
    const text = await readOrNull(path) ?? "";
    const log = EventLog.parse(text);
    return { file: new EventFile(path, text, log.changes), log };
  }

  /** Writes the log's new events. @throws {Error} when the write fails: the next call tries all of them again. */
  async save(log: EventLog): Promise<void> {
    const { changes } = log;
    if (changes === this.#savedChange) return;
    const news = eventLines(log.since(this.#savedChange));
    await Deno.mkdir(dirname(this.#path), { recursive: true, mode: FOLDER_MODE });
    if (this.#isTorn || this.#length + news.length > MAX_CHARACTERS) {
      const text = eventLines(log.since(0));
      await writeFileAtomic(this.#path, text, FILE_MODE);
      this.#length = text.length;
    } else {
      this.#isTorn = true; // until all lines are written
      await Deno.writeTextFile(this.#path, news, { append: true, mode: FILE_MODE });
      this.#length += news.length;
    }
    this.#isTorn = false;
    this.#savedChange = changes;
  }

  /** Removes the file, and its folder if the folder is then empty. */
  async remove(): Promise<void> {
    await removeTree(this.#path);
    await Deno.remove(dirname(this.#path)).catch(() => {}); // missing, or not empty
  }
}
