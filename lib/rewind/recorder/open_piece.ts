/** A piece that is being recorded: its two files, which are only added to. */
import type { Reason } from "../../model/past.ts";
import { join } from "node:path";
import type { Size } from "../../display/capture/picture.ts";
import { removeTree } from "../../machine/os/files.ts";
import { closeAnyway } from "../../machine/tools/close.ts";
import { writeAll } from "../../machine/tools/write_all.ts";
import { type Change, pieceFile, PieceLines, type PieceName, SUFFIX } from "./piece.ts";
import { BLOCK_HEAD_BYTES, blockHead, pieceHeader } from "./piece_video.ts";
import type { ParameterSets } from "./x264.ts";

/** A file that is written from its beginning on. */
class GrowingFile {
  #file: Deno.FsFile;
  #end = 0;

  private constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  static async create(path: string): Promise<GrowingFile> {
    return new GrowingFile(await Deno.open(path, { write: true, createNew: true, mode: 0o640 }));
  }

  get bytes(): number {
    return this.#end;
  }

  /** @param overwritten bytes before the end that are written over. */
  async add(bytes: Uint8Array<ArrayBuffer>, overwritten = 0): Promise<void> {
    this.#file.seekSync(this.#end - overwritten, Deno.SeekMode.Start);
    try {
      await writeAll(this.#file, bytes);
    } catch (error) {
      // a part of it would look like the file's end
      await this.#file.truncate(this.#end).catch(() => {});
      throw error;
    }
    this.#end += bytes.length - overwritten;
  }

  async sync(): Promise<void> {
    await this.#file.syncData();
  }

  close(): void {
    closeAnyway(this.#file);
  }
}

export class OpenPiece {
  readonly name: PieceName;
  /** Pictures so far. */
  pictures = 0;
  /** Unix time in s that the next picture may have at the earliest. */
  nextAt: number;
  /** Unix time in s before which all has been written. */
  end: number;
  #video: GrowingFile;
  #text: GrowingFile;
  #lines: PieceLines;
  /** Bytes of a last line that says how long nothing changed, which a newer one replaces. */
  #untilBytes = 0;
  #isSynced = true;

  private constructor(name: PieceName, video: GrowingFile, text: GrowingFile) {
    this.name = name;
    this.nextAt = name.start;
    this.end = name.start;
    this.#video = video;
    this.#text = text;
    this.#lines = new PieceLines(name.start);
  }

  /** Makes the files of a piece. @param folder its stream's. @throws {Error} when the disk is full, or refuses. */
  static async create(folder: string, name: PieceName, size: Size, sets: ParameterSets): Promise<OpenPiece> {
    const path = join(folder, pieceFile(name));
    const video = await GrowingFile.create(path + SUFFIX.pictures);
    let piece: OpenPiece | null = null;
    try {
      piece = new OpenPiece(name, video, await GrowingFile.create(path + SUFFIX.changes));
      await video.add(pieceHeader(size, sets, name.start));
      await piece.#write(piece.#lines.size(size, video.bytes + BLOCK_HEAD_BYTES));
      return piece;
    } catch (error) {
      if (piece) piece.close();
      else video.close();
      // another piece will have this name
      await removePiece(path);
      throw error;
    }
  }

  /** Of both files. */
  get bytes(): number {
    return this.#video.bytes + this.#text.bytes;
  }

  /** Adds a picture; the first one is a key frame. @param at Unix time in s, not before `nextAt`. */
  async add(at: number, coded: Uint8Array<ArrayBuffer>, change: Change): Promise<void> {
    const head = blockHead(at - this.name.start, coded.length, this.pictures === 0);
    const block = new Uint8Array(head.length + coded.length);
    block.set(head);
    block.set(coded, head.length);
    await this.#video.add(block);
    // after the picture: what the text tells of is there
    await this.#write(this.#lines.change(at, coded.length, change));
    this.pictures++;
    this.nextAt = at + 1;
    this.end = Math.max(this.end, at + 1);
  }

  /** Notes a change without a picture. @param at Unix time in s, not earlier than all before. */
  async note(at: number, change: Change): Promise<void> {
    await this.#write(this.#lines.change(at, null, change));
    this.end = Math.max(this.end, at + 1);
  }

  /** Notes that nothing else changed before `end`. */
  async until(end: number): Promise<void> {
    if (end <= this.end) return;
    const line = this.#lines.until(end);
    await this.#write(line, this.#untilBytes);
    this.#untilBytes = line.length;
    this.end = end;
  }

  /** Notes why nothing is kept from its end on. */
  async finish(reason: Reason): Promise<void> {
    await this.#write(this.#lines.end(this.end, reason));
  }

  /** Brings what is new to the disk, so that a power cut does not take it. */
  async sync(): Promise<void> {
    if (this.#isSynced) return;
    this.#isSynced = true;
    await this.#video.sync();
    await this.#text.sync();
  }

  close(): void {
    this.#video.close();
    this.#text.close();
  }

  async #write(line: string, overwritten = 0): Promise<void> {
    this.#untilBytes = 0;
    await this.#text.add(new TextEncoder().encode(line), overwritten);
    this.#isSynced = false;
  }
}

/** Removes a piece's files: the text last, since what has no text is not found any more. @param path without suffix. */
export async function removePiece(path: string): Promise<void> {
  for (const suffix of [SUFFIX.pictures, SUFFIX.changes]) await removeTree(path + suffix);
}
