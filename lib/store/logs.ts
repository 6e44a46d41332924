/** The logs of a stream's programs: only these names, only in the stream's folder; no link is followed. */
import { join } from "node:path";
import { ServiceError } from "../errors.ts";
import { HELPER_PROGRAMS, PIPELINE_PROGRAMS, type ProgramKind } from "../model/programs.ts";
import { openRegular, readRange, regularFile } from "../machine/os/regular_file.ts";
import { shownText } from "../model/answers/log_text.ts";
import type { StreamId } from "../model/id.ts";
import type { LogInfo, LogPart } from "../model/answers/shapes.ts";

/** The pipeline's programs first, from the display to the encoder. */
export const LOG_PROGRAMS: readonly ProgramKind[] = [...PIPELINE_PROGRAMS, ...HELPER_PROGRAMS];

const LINE_FEED = 0x0a;
/** The most bytes of the first answer to a reader. */
const TAIL_BYTES = 64 * 1024;
/** The most bytes of each further answer. */
const MAX_BYTES = 256 * 1024;
const DOWNLOAD_BYTES = 64 * 1024;

/** A position in one file: a rotation keeps the log's path, but not the file's inode. */
export interface LogOffset {
  inode: number;
  offset: number;
}

/** The program with this name. @throws {ServiceError} 404 when no program of a stream has the name. */
export function logProgram(name: string): ProgramKind {
  const program = LOG_PROGRAMS.find((one) => one === name);
  if (program) return program;
  throw new ServiceError(
    404,
    `There is no log "${name.slice(0, 63)}", only of ${LOG_PROGRAMS.join(", ")}.`,
  );
}

/** The offset in an answer's `next`. @throws {ServiceError} 400 when the text is no offset. */
export function logOffset(text: string | null): LogOffset | undefined {
  if (text === null) return undefined;
  const match = /^(\d{1,20})-(\d{1,12})$/.exec(text);
  if (match) return { inode: Number(match[1]), offset: Number(match[2]) };
  const problem = "after must be what the answer before has as next, such as 1234-2048.";
  throw new ServiceError(400, problem, { after: problem });
}

export class StreamLogs {
  #folder: string;

  constructor(logsDir: string, id: StreamId) {
    this.#folder = join(logsDir, id);
  }

  /** The logs that exist. */
  async list(): Promise<LogInfo[]> {
    const infos = await Promise.all(LOG_PROGRAMS.map(async (name) => {
      const files = await Promise.all((await this.#paths(name)).map(regularFile));
      const found = files.filter((file) => file !== null);
      const changedAt = found.map(({ mtime }) => mtime?.getTime() ?? 0);
      const size = found.reduce((sum, file) => sum + file.size, 0);
      return found.length > 0 ? [{ name, size, changedAt: Math.max(...changedAt) }] : [];
    }));
    return infos.flat();
  }

  /**
   * The last 64 KiB of the current file, beginning with a line. With `after`: the bytes since then, at most 256 KiB, in
   * whole lines where there are any; the last 64 KiB again when the log was rotated or emptied since.
   */
  async read(program: ProgramKind, after?: LogOffset): Promise<LogPart> {
    const [, path] = await this.#paths(program);
    using file = path ? openRegular(path) : null;
    if (!file) return { text: "", next: "0-0" };
    const { ino, size } = await file.stat();
    const inode = ino ?? 0;
    if (after?.inode === inode && after.offset <= size) {
      const bytes = await readRange(file, after.offset, Math.min(size, after.offset + MAX_BYTES));
      // a half-written line could be cut in a character or a colour: the next answer has that line
      const whole = bytes.subarray(0, bytes.lastIndexOf(LINE_FEED) + 1 || bytes.length);
      return { text: shownText(whole), next: `${inode}-${after.offset + whole.length}` };
    }
    const bytes = await readRange(file, Math.max(0, size - TAIL_BYTES), size);
    const line = size > TAIL_BYTES ? bytes.indexOf(LINE_FEED) + 1 : 0;
    const start = line < bytes.length ? line : 0; // one long line is shown from its middle
    return { text: shownText(bytes.subarray(start)), next: `${inode}-${size}` };
  }

  /** The whole log, unchanged, with its rotated part; null: there is no log. */
  async download(program: ProgramKind): Promise<ReadableStream<Uint8Array> | null> {
    const paths = await this.#paths(program);
    const files = await Promise.all(paths.map(regularFile));
    return files.some((file) => file !== null) ? ReadableStream.from(pieces(paths)) : null;
  }

  /** The rotated and the current file of a program; none when the folder itself is a link. */
  async #paths(program: ProgramKind): Promise<string[]> {
    const folder = await Deno.lstat(this.#folder).catch(() => null);
    if (!folder?.isDirectory) return [];
    return [".log.1", ".log"].map((ending) => join(this.#folder, program + ending));
  }
}

/** The bytes of one file after the other, each up to the file's size at its opening. */
async function* pieces(paths: string[]): AsyncGenerator<Uint8Array> {
  for (const path of paths) {
    using file = openRegular(path);
    if (!file) continue;
    for (let left = (await file.stat()).size; left > 0;) {
      const bytes = new Uint8Array(Math.min(left, DOWNLOAD_BYTES));
      const length = await file.read(bytes);
      if (length === null) break;
      left -= length;
      yield bytes.subarray(0, length);
    }
  }
}
