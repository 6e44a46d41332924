/** The pieces on this machine's disk, read each time they are asked for: nothing of them is kept in memory. */
import { join } from "node:path";
import { namesIn, readOrNull } from "../machine/os/files.ts";
import type { StreamId } from "../model/id.ts";
import type { Pieces, PieceText } from "../store/pieces.ts";
import { SUFFIX } from "./recorder/piece.ts";

/** Pieces that are read at once: more do not make it quicker, and hold up everything else. */
const SIDE_BY_SIDE = 16;
const CHUNK_BYTES = 256 * 1024;

export class OwnPieces implements Pieces {
  #folder: string;

  /** @param folder has a folder for each stream. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async names(id: StreamId): Promise<string[]> {
    const files = await namesIn(join(this.#folder, id));
    return files.filter((file) => file.endsWith(SUFFIX.changes)).map((file) =>
      file.slice(0, -SUFFIX.changes.length)
    );
  }

  async texts(id: StreamId, names: readonly string[]): Promise<Map<string, PieceText>> {
    const found = new Map<string, PieceText>();
    for (let at = 0; at < names.length; at += SIDE_BY_SIDE) {
      await Promise.all(
        names.slice(at, at + SIDE_BY_SIDE).map(async (name) => {
          const path = join(this.#folder, id, name);
          const [text, video] = await Promise.all([
            readOrNull(path + SUFFIX.changes),
            Deno.stat(path + SUFFIX.pictures).catch(() => null),
          ]);
          if (text !== null) found.set(name, { text, bytes: video?.size ?? 0 });
        }),
      );
    }
    return found;
  }

  async *video(
    id: StreamId,
    name: string,
    from: number,
    to: number,
  ): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    using file = await Deno.open(join(this.#folder, id, name) + SUFFIX.pictures);
    await file.seek(from, Deno.SeekMode.Start);
    for (let at = from; at < to;) {
      const bytes = new Uint8Array(Math.min(CHUNK_BYTES, to - at));
      const count = await file.read(bytes);
      if (count === null) return;
      at += count;
      yield bytes.subarray(0, count);
    }
  }
}
