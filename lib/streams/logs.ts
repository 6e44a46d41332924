/** The logs of a stream's programs. Only these names, only in its folder, and no link is followed. */
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { ServiceError } from "../errors.ts";
import { HELPER_PROGRAMS, PIPELINE_PROGRAMS, type ProgramKind } from "./programs.ts";
import { openRegular, readRange, regularFile } from "../system/regular_file.ts";
import { lineStart, type LogInfo, type LogPart, shownText, unfinished } from "./log_text.ts";
import type { StreamId } from "./id.ts";

/** In the order in which the picture passes them. */
export const LOG_PROGRAMS: readonly ProgramKind[] = [...PIPELINE_PROGRAMS, ...HELPER_PROGRAMS];

/** Bytes that a reader who begins gets. */
const FIRST_BYTES = 64 * 1024;
/** Bytes of one answer to a reader who follows. */
const MAX_BYTES = 256 * 1024;
const DOWNLOAD_BYTES = 64 * 1024;
/** In the place of a file's id while there is none. */
const NO_FILE = "0.0";

/** A byte of one file: the path stays when a log is rotated, the file does not. */
export interface LogPlace {
  file: string;
  offset: number;
}

/** @throws {ServiceError} 404. */
export function logProgram(name: string): ProgramKind {
  const program = LOG_PROGRAMS.find((one) => one === name);
  if (program) return program;
  throw new ServiceError(
    404,
    `There is no log "${name.slice(0, 63)}", only of ${LOG_PROGRAMS.join(", ")}.`,
  );
}

/** The place that `next` of an answer says. @throws {ServiceError} 400 when it is none. */
export function logPlace(text: string | null): LogPlace | undefined {
  if (text === null) return undefined;
  const match = /^(\d{1,20}\.\d{1,20})-(\d{1,12})$/.exec(text);
  if (match) return { file: match[1], offset: Number(match[2]) };
  const problem = "after must be what the answer before has as next, such as 1234.1735689600000-2048.";
  throw new ServiceError(400, problem, { after: problem });
}

export class StreamLogs {
  #folder: string;

  constructor(logsDir: string, id: StreamId) {
    this.#folder = join(logsDir, id);
  }

  /** The logs there are. */
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
   * The last 64 KiB, beginning with a line; with `after`, what came since, at most 256 KiB. When the log was rotated
   * meanwhile, the rest of the old file comes first; when that is gone, all there is. Nothing if there is no log.
   */
  async read(program: ProgramKind, after?: LogPlace): Promise<LogPart> {
    const [rotated, current] = await this.#paths(program);
    // in this order: a rotation in between shows the same file twice, the other way it would hide one
    using file = current ? await openRegular(current) : null;
    using old = rotated ? await openRegular(rotated) : null;
    const files = await identified([old, file]);
    let left = after ? MAX_BYTES : FIRST_BYTES;
    const first = after ? placeAfter(files, after) : placeBeforeEnd(files, left);
    const pieces: Uint8Array[] = [];
    let last = { id: NO_FILE, to: 0, length: 0 };
    for (let at = first.at; at < files.length && left > 0; at++) {
      const { file, id, size } = files[at];
      const from = at === first.at ? first.offset : 0;
      const piece = await readRange(file, from, Math.min(size, from + left));
      pieces.push(piece);
      left -= piece.length;
      last = { id, to: from + piece.length, length: piece.length };
    }
    const bytes = Buffer.concat(pieces);
    const start = !after && first.offset > 0 ? lineStart(bytes) : 0;
    // what is not complete is read again with its rest; what another file ends with has none
    const held = Math.min(unfinished(bytes), last.length);
    return {
      text: shownText(bytes.subarray(start, bytes.length - held)),
      next: `${last.id}-${last.to - held}`,
    };
  }

  /** The whole log as it is, with what was rotated away; null if there is none. */
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

interface LogFile {
  file: Deno.FsFile;
  /** Inode and birth: the system gives the inode of a file that is gone to a new one. */
  id: string;
  size: number;
}

/** The files there are, each once. */
async function identified(opened: (Deno.FsFile | null)[]): Promise<LogFile[]> {
  const files: LogFile[] = [];
  for (const file of opened) {
    if (!file) continue;
    const { ino, birthtime, size } = await file.stat();
    const id = `${ino}.${birthtime?.getTime() ?? 0}`;
    if (!files.some((one) => one.id === id)) files.push({ file, id, size });
  }
  return files;
}

/** Where to go on; from the beginning of a file that was emptied, and of all if the file is gone. */
function placeAfter(files: LogFile[], { file, offset }: LogPlace): { at: number; offset: number } {
  const at = files.findIndex(({ id }) => id === file);
  if (at < 0) return { at: 0, offset: 0 };
  return { at, offset: offset <= files[at].size ? offset : 0 };
}

/** Where the last `bytes` bytes begin. */
function placeBeforeEnd(files: LogFile[], bytes: number): { at: number; offset: number } {
  for (let at = files.length - 1, left = bytes; at >= 0; at--) {
    if (files[at].size >= left) return { at, offset: files[at].size - left };
    left -= files[at].size;
  }
  return { at: 0, offset: 0 };
}

/** The bytes of the files one after the other, as far as each went when it was opened. */
async function* pieces(paths: string[]): AsyncGenerator<Uint8Array> {
  for (const path of paths) {
    using file = await openRegular(path);
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
