/** Room on disks: its amount, and a reserve for files that must be written when a disk is full. */
import { statfs } from "node:fs";
import { promisify } from "node:util";
import { removeTree } from "./files.ts";
import { errorText, log } from "../tools/log.ts";
import { writeAll } from "../tools/write_all.ts";

/** The size and the free room of a file system, for users other than root. */
export interface Space {
  totalBytes: number;
  freeBytes: number;
  /** 0: the file system does not count files. */
  totalFiles: number;
  freeFiles: number;
}

/** The room on the file system that a path is on. @throws {Error} when it cannot be read. */
export async function spaceAt(path: string): Promise<Space> {
  const { bsize, blocks, bavail, files, ffree } = await promisify(statfs)(path);
  return { totalBytes: bsize * blocks, freeBytes: bsize * bavail, totalFiles: files, freeFiles: ffree };
}

/** Little room is less than both: megabytes, and percent of the disk. */
export interface LittleRoom {
  leastFreeMb: number;
  leastFreePercent: number;
}

/** Whether there is little room. @param times as much room as is little. */
export function isShort(
  { totalBytes, freeBytes }: Space,
  { leastFreeMb, leastFreePercent }: LittleRoom,
  times = 1,
): boolean {
  return freeBytes < times * leastFreeMb * 1e6 && freeBytes < times * totalBytes * leastFreePercent / 100;
}

/** Whether a write failed because there is no room: on the disk, or in the user's share of it. */
export function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return code === "ENOSPC" || code === "EDQUOT";
}

/** A file that takes up room, until a file that must be written needs the room. */
export class DiskReserve {
  #path: string;
  #bytes: number;

  constructor(path: string, bytes: number) {
    this.#path = path;
    this.#bytes = bytes;
  }

  /** Makes the reserve where it is missing. A disk without the room for it stays as it is. */
  async keep(): Promise<void> {
    const known = await Deno.stat(this.#path).catch(() => null);
    if (known?.size === this.#bytes) return;
    try {
      using file = await Deno.open(this.#path, { write: true, create: true, truncate: true, mode: 0o600 });
      // the bytes are written: a hole in a file takes up no room
      const part = new Uint8Array(Math.min(this.#bytes, 64 * 1024));
      for (let left = this.#bytes; left > 0; left -= part.length) {
        crypto.getRandomValues(part); // some file systems store no zeros
        await writeAll(file, part.subarray(0, Math.min(left, part.length)));
      }
    } catch (error) {
      await removeTree(this.#path).catch(() => {});
      log("debug", "no disk space in reserve", { error: errorText(error) });
    }
  }

  /** Calls `write`; where the disk is full, once more with the reserve's room. @throws the errors of `write`. */
  async use<Result>(write: () => Promise<Result>): Promise<Result> {
    try {
      return await write();
    } catch (error) {
      if (!isDiskFull(error) || !await Deno.stat(this.#path).catch(() => null)) throw error;
      await removeTree(this.#path);
      log("warn", "the disk is full: what was in reserve is used");
      return await write();
    }
  }
}
