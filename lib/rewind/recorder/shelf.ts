/** All pieces of this machine, of all streams: they stay within a budget, and the oldest go first. */
import { join } from "node:path";
import { isStreamId, type StreamId } from "../../model/id.ts";
import { namesIn } from "../../machine/os/files.ts";
import { isShort, type LittleRoom, type Space } from "../../machine/os/disk.ts";
import { errorText, log } from "../../machine/tools/log.ts";
import type { Size } from "../../display/capture/picture.ts";
import { OpenPiece, removePiece } from "./open_piece.ts";
import { parsePieceFile, pieceFile, type PieceName, SUFFIX } from "./piece.ts";
import type { ParameterSets } from "./x264.ts";

export interface ShelfLimits {
  /** Bytes of all pieces; null: a part of the disk. */
  bytes: number | null;
  /** Bytes of the budget that something else takes. */
  taken(): Promise<number>;
  /** How long a piece is kept, in s. */
  seconds: number;
  /** What is little room for everything else: recording ends before that, and goes on when there is more. */
  leastFree: LittleRoom;
}

/** Where nobody says how much: so much of the disk, and at most so many bytes. */
const DISK_SHARE = 0.05;
const MOST_BYTES = 10e9;

/** How many times as much as little room is left when recording ends, and when it goes on. */
const [ENDS_AT, GOES_ON_AT] = [1.25, 1.5];

/** Bytes by which the kernel gives room to a file: a piece has two files. */
const BLOCK_BYTES = 4096;
const FILES = 2;

/** Bytes of room that one more piece gets in advance. */
const PIECE_BYTES = 2_000_000;

/** The bytes of all that is kept. @param given null: a part of the disk. */
export function budgetOf(given: number | null, { totalBytes }: Space): number {
  return given ?? Math.min(MOST_BYTES, totalBytes * DISK_SHARE);
}

interface Kept extends PieceName {
  id: StreamId;
  bytes: number;
  /** Unix time in s. */
  end: number;
  open: OpenPiece | null;
}

export class Shelf {
  #folder: string;
  #limits: ShelfLimits;
  #space: (path: string) => Promise<Space>;
  /** In the order in which they go. */
  #kept: Kept[] = [];
  #hasRoom = true;
  #isFull = false;

  private constructor(folder: string, limits: ShelfLimits, space: (path: string) => Promise<Space>) {
    this.#folder = folder;
    this.#limits = limits;
    this.#space = space;
  }

  /** @param folder has a folder for each stream. @throws {Error} when it cannot be read. */
  static async open(
    folder: string,
    limits: ShelfLimits,
    space: (path: string) => Promise<Space>,
  ): Promise<Shelf> {
    const shelf = new Shelf(folder, limits, space);
    for (const id of await namesIn(folder)) {
      if (isStreamId(id)) await shelf.#find(id);
    }
    shelf.#kept.sort((one, other) => one.end - other.end);
    return shelf;
  }

  /** Whether the disk has room for more. */
  get hasRoom(): boolean {
    return this.#hasRoom && !this.#isFull;
  }

  /** The disk refused a write: nothing is recorded until the next look at it. */
  isFull(): void {
    this.#isFull = true;
  }

  /** Begins a stream's next piece. @param start Unix time in s. @throws {Error} when the disk refuses. */
  async begin(id: StreamId, start: number, size: Size, sets: ParameterSets): Promise<OpenPiece> {
    const numbers = this.#kept.filter((kept) => kept.id === id).map(({ number }) => number);
    const name = { number: 1 + Math.max(0, ...numbers), start };
    const folder = join(this.#folder, id);
    await Deno.mkdir(folder, { recursive: true, mode: 0o750 });
    const open = await OpenPiece.create(folder, name, size, sets);
    this.#kept.push({ id, ...name, bytes: 0, end: start, open });
    return open;
  }

  /** A piece has ended. One without a picture goes. */
  async close(open: OpenPiece): Promise<void> {
    open.close();
    const kept = this.#kept.find((kept) => kept.open === open);
    if (!kept) return;
    Object.assign(kept, { bytes: open.bytes, end: open.end, open: null });
    if (open.pictures === 0) await this.#drop(kept);
  }

  /** Brings what is new to the disk, one piece after the other. */
  async sync(): Promise<void> {
    for (const { open } of [...this.#kept]) {
      // a piece that was closed meanwhile refuses
      await open?.sync().catch(() => {});
    }
  }

  /** Looks at the disk, and removes what is too old or too much. @param now Unix time in s. */
  async tidy(now: number): Promise<void> {
    const space = await this.#space(this.#folder);
    this.#hasRoom = !isShort(space, this.#limits.leastFree, this.#hasRoom ? ENDS_AT : GOES_ON_AT);
    this.#isFull = false;
    // deleted streams are gone with their folders
    const ids = new Set(await namesIn(this.#folder));
    this.#kept = this.#kept.filter(({ id, open }) => ids.has(id) || open);
    const budget = budgetOf(this.#limits.bytes, space) - await this.#limits.taken();
    let bytes = this.#kept.reduce((sum, kept) => sum + roomOf(kept), 0);
    const closed = this.#kept.filter(({ open }) => open === null);
    const openPieces = this.#kept.length - closed.length;
    for (const kept of closed) {
      const isOld = now - kept.end > this.#limits.seconds;
      if (!isOld && bytes + openPieces * PIECE_BYTES <= budget) continue;
      bytes -= roomOf(kept);
      await this.#drop(kept);
    }
  }

  async #find(id: StreamId): Promise<void> {
    const folder = join(this.#folder, id);
    for (const file of await namesIn(folder)) {
      const name = parsePieceFile(file);
      if (!name) continue;
      const path = join(folder, pieceFile(name));
      const [video, text] = await Promise.all(
        Object.values(SUFFIX).map((suffix) => Deno.lstat(path + suffix).catch(() => null)),
      );
      const end = Math.floor((text?.mtime?.getTime() ?? 0) / 1000);
      this.#kept.push({ id, ...name, bytes: (video?.size ?? 0) + (text?.size ?? 0), end, open: null });
    }
  }

  async #drop(kept: Kept): Promise<void> {
    this.#kept.splice(this.#kept.indexOf(kept), 1);
    const folder = join(this.#folder, kept.id);
    try {
      await removePiece(join(folder, pieceFile(kept)));
      if (!this.#kept.some(({ id }) => id === kept.id)) await Deno.remove(folder);
    } catch (error) {
      log("warn", "a piece of the past was not removed", { stream: kept.id, error: errorText(error) });
    }
  }
}

/** Bytes on the disk. */
function roomOf({ bytes, open }: Kept): number {
  return (open?.bytes ?? bytes) + FILES * BLOCK_BYTES / 2;
}

/** Bytes of the files in the folders of a folder. */
export async function bytesBelow(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await namesIn(folder)) {
    for (const file of await namesIn(join(folder, name)).catch(() => [])) {
      bytes += (await Deno.lstat(join(folder, name, file)).catch(() => null))?.size ?? 0;
    }
  }
  return bytes;
}
