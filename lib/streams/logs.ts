/** The logs of a stream's programs. Only these names, only in its folder, and no link is followed. */
import { join } from "node:path";
import { ServiceError } from "../errors.ts";
import { CHANNEL_PROGRAMS, HELPER_PROGRAMS, type ProgramKind } from "../supervisor/programs.ts";
import { openRegular, readRange, regularFile } from "../system/regular_file.ts";
import { lineStart, shownText, unfinished } from "./log_text.ts";
import { STREAM_ID } from "./stream.ts";

/** In the order in which the picture passes them. */
export const LOG_PROGRAMS: readonly ProgramKind[] = [...CHANNEL_PROGRAMS, ...HELPER_PROGRAMS];

/** Bytes that a reader who begins gets. */
const FIRST_BYTES = 64 * 1024;
/** Bytes of one answer to a reader who follows. */
const MAX_BYTES = 256 * 1024;
const DOWNLOAD_BYTES = 64 * 1024;

/** A log there is: `size` in bytes with what was rotated away, `changedAt` in Unix ms. */
export interface LogInfo {
  name: ProgramKind;
  size: number;
  changedAt: number;
}

/** Text from byte `from` of the log; `next` is where to go on. */
export interface LogPart {
  text: string;
  from: number;
  next: number;
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

/** @throws {ServiceError} 400 when it is no byte offset. */
export function logOffset(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (/^\d{1,12}$/.test(text)) return Number(text);
  const problem = "after must be the number of bytes read so far, such as 2048.";
  throw new ServiceError(400, problem, { after: problem });
}

export class StreamLogs {
  #folder: string;

  constructor(logsDir: string, id: string) {
    if (!STREAM_ID.test(id)) throw new Error(`"${id}" is no stream id`);
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
   * meanwhile, the rest of the old file comes first, and `from` is 0. Nothing if there is no log.
   */
  async read(program: ProgramKind, after?: number): Promise<LogPart> {
    const [rotated, current] = await this.#paths(program);
    using file = current ? await openRegular(current) : null;
    const size = file ? (await file.stat()).size : 0;
    if (after !== undefined && after <= size) {
      const bytes = file ? await readRange(file, after, Math.min(size, after + MAX_BYTES)) : new Uint8Array();
      const end = bytes.length - unfinished(bytes);
      return { text: shownText(bytes.subarray(0, end)), from: after, next: after + end };
    }
    if (after === undefined && size >= FIRST_BYTES) {
      const bytes = await readRange(file!, size - FIRST_BYTES, size);
      const [start, end] = [lineStart(bytes), bytes.length - unfinished(bytes)];
      const from = size - FIRST_BYTES;
      return { text: shownText(bytes.subarray(start, end)), from: from + start, next: from + end };
    }
    using old = rotated ? await openRegular(rotated) : null;
    return await readAcross(old, file, size, after);
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

/** The end of the old file (from `after` on, if a reader got so far in it) and the beginning of the new one. */
async function readAcross(
  old: Deno.FsFile | null,
  file: Deno.FsFile | null,
  size: number,
  after: number | undefined,
): Promise<LogPart> {
  const oldInfo = await old?.stat();
  const isSame = oldInfo?.ino === (await file?.stat())?.ino; // rotated just now, while we looked
  const oldSize = isSame ? 0 : oldInfo?.size ?? 0;
  const oldFrom = Math.min(oldSize, after ?? Math.max(0, oldSize - (FIRST_BYTES - size)));
  const oldTo = Math.min(oldSize, oldFrom + MAX_BYTES);
  const before = old ? await readRange(old, oldFrom, oldTo) : new Uint8Array();
  if (after !== undefined && oldTo < oldSize) {
    const end = before.length - unfinished(before);
    return { text: shownText(before.subarray(0, end)), from: after, next: after + end };
  }
  const bytes = file ? await readRange(file, 0, Math.min(size, MAX_BYTES - before.length)) : new Uint8Array();
  const both = new Uint8Array(before.length + bytes.length);
  both.set(before);
  both.set(bytes, before.length);
  const start = after === undefined && oldFrom > 0 ? lineStart(both) : 0;
  const held = Math.min(unfinished(both), bytes.length);
  return { text: shownText(both.subarray(start, both.length - held)), from: 0, next: bytes.length - held };
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
