/**
 * A piece of a channel's past: ten minutes at most, from a key frame on. Its pictures are a Matroska file that players open;
 * what changed when is a text beside it. Both are only added to, so whatever ends the recorder, all lines but a last half one
 * hold. Pure.
 *
 *     size 1280x720 374      pictures of this size; the first one is 374 bytes behind the file's beginning, and each
 *                            other one behind the head of its block (piece_video.ts)
 *     p 0 53211 0 -          0 s after the start: a picture of 53211 bytes; nothing changed with it
 *     p 12 845 31 000003…    12 s: a picture in which 31 thousandths changed, in these of 16 x 9 cells
 *     c 13 30 -              13 s: the same change, of which no picture was kept
 *     u 00120                until 120 s nothing else changed
 *     e 130 visit            at 130 s the piece ends, since somebody came in by VNC
 */
import { type Reason, REASONS } from "../../model/past.ts";
import type { Size } from "../../display/capture/picture.ts";
import { BLOCK_HEAD_BYTES } from "./piece_video.ts";

/** Where a piece stands in its stream's past. Of two pieces for the same time the one with the greater number counts. */
export interface PieceName {
  number: number;
  /** Unix time in s of the first picture. */
  start: number;
}

/** Files of a piece by what is in them. */
export const SUFFIX = { pictures: ".mkv", changes: ".txt" };

/** Cells of the grid on which a change is said to be somewhere. */
export const GRID = { columns: 16, rows: 9 } as const;

/** What differs between two pictures. */
export interface Change {
  /** Thousandths of the picture; at least 1 when anything differs. */
  share: number;
  /** A bit for each cell, row after row, the first in the highest bit. */
  cells: Uint8Array<ArrayBuffer>;
}

export const NO_CHANGE: Change = { share: 0, cells: new Uint8Array(GRID.columns * GRID.rows / 8) };

export interface KeptPicture extends Change {
  /** Unix time in s. */
  at: number;
  /** Where it is in the file, and its bytes; null: there is no picture of this change. */
  place: { offset: number; bytes: number } | null;
}

export interface Piece extends PieceName {
  size: Size;
  pictures: KeptPicture[];
  /** Unix time in s before which all is known. */
  end: number;
  /** Why it ended; null: the next piece goes on, or the recorder was ended. */
  reason: Reason | null;
}

export function pieceFile({ number, start }: PieceName): string {
  return `${String(number).padStart(8, "0")}-${start}`;
}

/** The name in a text such as `pieceFile` gives; null: there is none. */
export function parsePieceName(text: string): PieceName | null {
  const match = /^(\d{8})-(\d{1,12})$/.exec(text);
  return match && { number: Number(match[1]), start: Number(match[2]) };
}

/** The name in a file's name; null: it is another file. */
export function parsePieceFile(file: string): PieceName | null {
  return file.endsWith(SUFFIX.changes) ? parsePieceName(file.slice(0, -SUFFIX.changes.length)) : null;
}

/** The lines of a piece's text. Times are Unix times in s. */
export class PieceLines {
  #start: number;
  #cells = "";

  constructor(start: number) {
    this.#start = start;
  }

  size({ width, height }: Size, firstOffset: number): string {
    return `size ${width}x${height} ${firstOffset}\n`;
  }

  /** @param bytes null: no picture was kept. */
  change(at: number, bytes: number | null, { share, cells }: Change): string {
    const text = cells.toHex();
    const told = text === this.#cells ? "-" : text;
    this.#cells = text;
    const head = bytes === null ? `c ${at - this.#start}` : `p ${at - this.#start} ${bytes}`;
    return `${head} ${share} ${told}\n`;
  }

  /** It always has the same length, since it is written over itself. */
  until(end: number): string {
    return `u ${String(end - this.#start).padStart(5, "0")}\n`;
  }

  end(end: number, reason: Reason): string {
    return `e ${end - this.#start} ${reason}\n`;
  }
}

/**
 * The piece that a text tells of; null: its first line is not there yet.
 * @param text a line that is cut off, or of another kind, is left out. @param fileBytes of the pictures: what is behind is not
 * there.
 */
export function parsePiece(name: PieceName, text: string, fileBytes: number): Piece | null {
  const [first, ...lines] = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
  const head = /^size (\d{2,5})x(\d{2,5}) (\d{1,6})$/.exec(first);
  if (!head) return null;
  const size = { width: Number(head[1]), height: Number(head[2]) };
  const piece: Piece = { ...name, size, pictures: [], end: name.start, reason: null };
  let offset = Number(head[3]);
  let { cells } = NO_CHANGE;
  for (const line of lines) {
    const [kind, ...words] = line.split(" ");
    const at = name.start + Number(words[0]);
    if (!Number.isSafeInteger(at)) continue;
    if (kind === "u") piece.end = Math.max(piece.end, at);
    if (kind === "e") {
      piece.end = at;
      piece.reason = REASONS.find((reason) => reason === words[1]) ?? null;
    }
    if (kind !== "p" && kind !== "c") continue;
    const [share, told] = words.slice(-2);
    if (told === undefined) continue;
    if (told !== "-") cells = parseCells(told) ?? cells;
    let place: KeptPicture["place"] = null;
    if (kind === "p") {
      place = { offset, bytes: Number(words[1]) };
      if (!(offset + place.bytes <= fileBytes)) break;
      offset += place.bytes + BLOCK_HEAD_BYTES;
    }
    piece.pictures.push({ at, share: Number(share), cells, place });
    piece.end = Math.max(piece.end, at + 1);
  }
  return piece;
}

function parseCells(text: string): Uint8Array<ArrayBuffer> | null {
  return text.length === NO_CHANGE.cells.length * 2 && /^[0-9a-f]*$/.test(text)
    ? Uint8Array.fromHex(text)
    : null;
}
