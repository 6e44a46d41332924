/** The bytes of pieces for ffmpeg: one header, and of each piece its cluster up to a picture. */
import { blockHead, CLUSTER_HEAD_BYTES, clusterHead } from "./recorder/piece_video.ts";
import type { Piece } from "./recorder/piece.ts";
import { endOf, firstBlock, type PlacedPicture } from "./timeline.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export interface Feed {
  /** Names the piece, among those of all streams and nodes. */
  key: string;
  /** A part of its file. @throws {Error} when the file is gone meanwhile, or its node away. */
  read(from: number, to: number, signal?: AbortSignal): AsyncIterable<Bytes>;
  piece: Piece;
  /** The last picture that is needed. */
  last: PlacedPicture;
  /** The time that the piece's start gets, where gaps are left out. */
  startAs?: number;
}

/**
 * @param until Unix time in s until which the last picture stands: filters show a picture until the next one, so that the
 * last key frame comes once more then; null: nothing comes behind it. @throws {Error} when a file is gone meanwhile.
 */
export async function* bytesOf(
  feeds: readonly Feed[],
  until: number | null,
  signal?: AbortSignal,
): AsyncGenerator<Bytes> {
  for (const [number, { read, piece, last, startAs = piece.start }] of feeds.entries()) {
    const first = firstBlock(piece);
    if (number === 0) yield* read(0, first - CLUSTER_HEAD_BYTES, signal);
    yield Uint8Array.from(clusterHead(startAs));
    yield* read(first, endOf(last), signal);
  }
  const end = feeds.at(-1);
  if (until === null || !end) return;
  const { offset, bytes } = end.piece.pictures[0].place!;
  yield Uint8Array.from([...clusterHead(until), ...blockHead(0, bytes, true)]);
  yield* end.read(offset, offset + bytes, signal);
}
