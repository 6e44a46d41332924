/**
 * What the recorders have left of the streams, here and on other nodes that had them, read each time it is asked for. All times
 * are Unix times in s.
 */
import { ServiceError } from "../errors.ts";
import type { StreamId } from "../model/id.ts";
import { NOTHING_ELSEWHERE, type PastElsewhere, type Pieces } from "../store/pieces.ts";
import { errorText, log } from "../machine/tools/log.ts";
import { OwnPieces } from "./own_pieces.ts";
import { parsePiece, parsePieceName, type Piece, pieceFile } from "./recorder/piece.ts";
import {
  EARLY_SECONDS,
  isSameSize,
  joinedWindows,
  shownAt,
  type Stretch,
  stretchAt,
  type Timeline,
  timelineOf,
  type Window,
  windowsOf,
} from "./timeline.ts";

/** Pieces whose texts are read before they are parsed: of this machine, and of another one in one answer. */
const AT_ONCE = { here: 16, elsewhere: 200 };

type ReadWindow = Window & { piece: Piece | null };

/** What one client asks: a node that has not answered is not asked again. */
export class Past {
  #own: OwnPieces;
  #elsewhere: PastElsewhere;
  #signal: AbortSignal | undefined;
  #away = new Set<string>();
  #names = new Map<string | null, Promise<Window[] | null>>();

  /** @param folder has a folder for each stream. @param signal ends the questions to other nodes. */
  constructor(folder: string, elsewhere: PastElsewhere = NOTHING_ELSEWHERE, signal?: AbortSignal) {
    this.#own = new OwnPieces(folder);
    this.#elsewhere = elsewhere;
    this.#signal = signal;
  }

  /**
   * When each piece of a stream counts, the oldest first. @param from with `to`, the time for which other nodes are asked.
   * @throws {Error} when this machine's folder cannot be read.
   */
  async windows(id: StreamId, from = 0, to = Infinity): Promise<Window[]> {
    const stays = this.#elsewhere.stays(id);
    if (stays.length === 0) return await this.#windowsAt(id, null) ?? [];
    const periods = stays.map(async ({ node, isHere, since }, at) => {
      const [start, end] = [since, stays[at + 1]?.since ?? Infinity].map((ms) => Math.floor(ms / 1000));
      const has = (at === 0 ? 0 : start - EARLY_SECONDS) < to && end > from;
      const where = isHere ? null : node;
      return { node: where, start, end, windows: has ? await this.#windowsAt(id, where) : [] };
    });
    return joinedWindows(await Promise.all(periods));
  }

  /** What is kept between two times. */
  async timeline(id: StreamId, windows: readonly Window[], from: number, to: number): Promise<Timeline> {
    const asked = windows.filter(({ start, end }) => start < to && end > from);
    const read = await Promise.all(
      [...new Set(asked.map(({ node }) => node))].map(async (node) => {
        const own = asked.filter((window) => window.node === node);
        return [node, await this.#read(id, node, own)] as const;
      }),
    );
    const ofNode = new Map(read);
    return timelineOf(asked.map(({ node }) => ofNode.get(node)!.shift()!), from, to);
  }

  /** Since when it was what a stretch shows at a time: a new piece begins without a change. */
  async since(
    id: StreamId,
    windows: readonly Window[],
    { piece, node }: Stretch,
    at: number,
  ): Promise<number> {
    const shown = shownAt(piece, at)!;
    if (shown !== piece.pictures[0] || shown.share > 0) return shown.at;
    const last = piece.start - 1;
    const before = stretchAt(await this.timeline(id, windows, last, piece.start), last);
    const goesOn = before?.node === node && before.piece.reason === null &&
      isSameSize(before.piece.size, piece.size);
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

  /** Bytes of the file with a piece's pictures. @throws {Error} when it is gone. @throws {ServiceError} 503: its node is away. */
  async *video(
    id: StreamId,
    { piece, node }: Stretch,
    from: number,
    to: number,
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    try {
      const pieces = this.#piecesAt(node);
      if (!pieces) throw new Error("it is not heard");
      yield* pieces.video(id, pieceFile(piece), from, to, signal);
    } catch (error) {
      if (node === null) throw error;
      log("debug", "another node's past is not read", { node, error: errorText(error) });
      throw new ServiceError(503, `The node ${node}, which has this part of the past, does not answer.`);
    }
  }

  #piecesAt(node: string | null): Pieces | null {
    if (node === null) return this.#own;
    return this.#away.has(node) ? null : this.#elsewhere.pieces(node);
  }

  /** When a node's pieces count among themselves; null: the node cannot be asked. */
  #windowsAt(id: StreamId, node: string | null): Promise<Window[] | null> {
    let windows = this.#names.get(node);
    if (!windows) {
      windows = this.#ask(node, async (pieces) => {
        const names = (await pieces.names(id, this.#signal)).map(parsePieceName);
        return windowsOf(names.filter((name) => name !== null));
      });
      this.#names.set(node, windows);
    }
    return windows;
  }

  /** What a node answers; null: it cannot be asked. @throws {Error} of this machine's disk. */
  async #ask<Answer>(
    node: string | null,
    question: (pieces: Pieces) => Promise<Answer>,
  ): Promise<Answer | null> {
    const pieces = this.#piecesAt(node);
    if (!pieces) return null;
    try {
      return await question(pieces);
    } catch (error) {
      if (node === null) throw error;
      log("debug", "another node's past is not known", { node, error: errorText(error) });
      this.#away.add(node);
      return null;
    }
  }

  /** The same windows with their pieces; a piece is null that is gone, or has no picture. */
  async #read(id: StreamId, node: string | null, windows: readonly Window[]): Promise<ReadWindow[]> {
    const most = node === null ? AT_ONCE.here : AT_ONCE.elsewhere;
    const read: ReadWindow[] = [];
    for (let at = 0; at < windows.length; at += most) {
      const some = windows.slice(at, at + most);
      const files = some.flatMap(({ name }) => name ? pieceFile(name) : []);
      const texts = files.length === 0
        ? new Map()
        : await this.#ask(node, (pieces) => pieces.texts(id, files, this.#signal));
      for (const window of some) {
        const { name } = window;
        if (name === null || texts === null) {
          read.push({ ...window, name: null, piece: null });
          continue;
        }
        const found = texts.get(pieceFile(name));
        const piece = found ? parsePiece(name, found.text, found.bytes) : null;
        read.push({ ...window, piece: piece?.pictures[0]?.place ? piece : null });
      }
    }
    return read;
  }
}
