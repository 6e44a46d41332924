/**
 * What the recorder has left of the streams, read from the disk each time it is asked for: nothing of it is kept in memory.
 * All times are Unix times in s.
 */
import { join } from "node:path";
import { namesIn, readOrNull } from "../machine/os/files.ts";
import type { StreamId } from "../model/id.ts";
import {
  parsePiece,
  parsePieceFile,
  type Piece,
  pieceFile,
  type PieceName,
  SUFFIX,
} from "./recorder/piece.ts";
import {
  isSameSize,
  shownAt,
  type Stretch,
  stretchAt,
  type Timeline,
  timelineOf,
  type Window,
  windowsOf,
} from "./timeline.ts";

/** Pieces that are read at once: more do not make it quicker, and hold up everything else. */
const SIDE_BY_SIDE = 16;

export class Past {
  #folder: string;

  /** @param folder has a folder for each stream. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** When each piece of a stream counts, the oldest first. @throws {Error} when the folder cannot be read. */
  async windows(id: StreamId): Promise<Window[]> {
    const names = (await namesIn(join(this.#folder, id))).map(parsePieceFile);
    return windowsOf(names.filter((name) => name !== null));
  }

  /** What is kept between two times. */
  async timeline(id: StreamId, windows: readonly Window[], from: number, to: number): Promise<Timeline> {
    const asked = windows.filter(({ start, end }) => start < to && end > from);
    const read: (Window & { piece: Piece | null })[] = [];
    for (let at = 0; at < asked.length; at += SIDE_BY_SIDE) {
      const some = asked.slice(at, at + SIDE_BY_SIDE).map(async (window) => ({
        ...window,
        piece: await this.#read(id, window.name),
      }));
      read.push(...await Promise.all(some));
    }
    return timelineOf(read, from, to);
  }

  /** Since when it was what a stretch shows at a time: a new piece begins without a change. */
  async since(id: StreamId, windows: readonly Window[], { piece }: Stretch, at: number): Promise<number> {
    const shown = shownAt(piece, at)!;
    if (shown !== piece.pictures[0] || shown.share > 0) return shown.at;
    const last = piece.start - 1;
    const before = stretchAt(await this.timeline(id, windows, last, piece.start), last);
    const goesOn = before && before.piece.reason === null && isSameSize(before.piece.size, piece.size);
    return goesOn ? await this.since(id, windows, before, last) : shown.at;
  }

  /** The nearest seconds of which something is kept. @param now nothing from it on is. */
  async nearest(
    id: StreamId,
    windows: readonly Window[],
    at: number,
    now: number,
  ): Promise<{ before: number | null; after: number | null }> {
    const spansOf = async ({ start, end }: Window, from: number, to: number) =>
      (await this.timeline(id, windows, Math.max(start, from), Math.min(end, to))).spans;
    let [before, after]: (number | null)[] = [null, null];
    for (const window of windows.filter(({ start }) => start < at).reverse()) {
      before = (await spansOf(window, 0, Math.min(at, now))).at(-1)?.end ?? null;
      if (before !== null) break;
    }
    for (const window of windows.filter(({ end }) => end > at)) {
      after = (await spansOf(window, at, now))[0]?.start ?? null;
      if (after !== null) break;
    }
    return { before: before && before - 1, after };
  }

  /** The file with a piece's pictures. */
  videoFile(id: StreamId, name: PieceName): string {
    return join(this.#folder, id, pieceFile(name) + SUFFIX.pictures);
  }

  /** Null: it is gone, or has no picture. */
  async #read(id: StreamId, name: PieceName): Promise<Piece | null> {
    const path = join(this.#folder, id, pieceFile(name));
    const [text, video] = await Promise.all([
      readOrNull(path + SUFFIX.changes),
      Deno.stat(path + SUFFIX.pictures).catch(() => null),
    ]);
    const piece = text === null ? null : parsePiece(name, text, video?.size ?? 0);
    return piece?.pictures[0]?.place ? piece : null;
  }
}
