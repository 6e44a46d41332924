/** The bytes of pieces for ffmpeg: one header, and of each piece its cluster up to a picture. */
import { blockHead, CLUSTER_HEAD_BYTES, clusterHead } from "./recorder/piece_video.ts";
import type { Piece } from "./recorder/piece.ts";
import { endOf, firstBlock, type PlacedPicture } from "./timeline.ts";

export interface Feed {
  /** The file. */
  path: string;
  piece: Piece;
  /** The last picture that is needed. */
  last: PlacedPicture;
  /** The time that the piece's start gets, where gaps are left out. */
  startAs?: number;
}

const CHUNK_BYTES = 256 * 1024;

/**
 * @param until Unix time in s until which the last picture stands: filters show a picture until the next one, so that the
 * last key frame comes once more then; null: nothing comes behind it. @throws {Error} when a file is gone meanwhile.
 */
export async function* bytesOf(
  feeds: readonly Feed[],
  until: number | null,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (const [number, { path, piece, last, startAs = piece.start }] of feeds.entries()) {
    const first = firstBlock(piece);
    if (number === 0) yield* bytesIn(path, 0, first - CLUSTER_HEAD_BYTES);
    yield Uint8Array.from(clusterHead(startAs));
    yield* bytesIn(path, first, endOf(last));
  }
  const end = feeds.at(-1);
  if (until === null || !end) return;
  const { offset, bytes } = end.piece.pictures[0].place!;
  yield Uint8Array.from([...clusterHead(until), ...blockHead(0, bytes, true)]);
  yield* bytesIn(end.path, offset, offset + bytes);
}

async function* bytesIn(path: string, from: number, to: number): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  using file = await Deno.open(path);
  await file.seek(from, Deno.SeekMode.Start);
  for (let at = from; at < to;) {
    const bytes = new Uint8Array(Math.min(CHUNK_BYTES, to - at));
    const count = await file.read(bytes);
    if (count === null) return;
    at += count;
    yield bytes.subarray(0, count);
  }
}
