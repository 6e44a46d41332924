/** A channel's past as the recorder leaves it, with pictures that show their own second. */
import type { Reason } from "../../lib/model/past.ts";
import { join } from "node:path";
import type { Size } from "../../lib/display/capture/picture.ts";
import { OpenPiece } from "../../lib/rewind/recorder/open_piece.ts";
import { type Change, NO_CHANGE } from "../../lib/rewind/recorder/piece.ts";
import { type ParameterSets, X264Library } from "../../lib/rewind/recorder/x264.ts";

export const HD: Size = { width: 1280, height: 720 };

/** Bits of a second that a picture shows, each as a bar. */
const BITS = 31;
const [BLACK, WHITE] = [16, 235];

/** A change of the picture's first cells. */
export const A_CHANGE: Change = {
  share: 40,
  cells: Uint8Array.from(NO_CHANGE.cells, (_, at) => at === 0 ? 0xf0 : 0),
};

export interface PastPiece {
  number: number;
  /** Unix times in s of its pictures, which rise. */
  seconds: readonly number[];
  /** Seconds with a change that has no picture, each later than all pictures before it. */
  noted?: readonly number[];
  /** Unix time in s before which all is known; that of the last second if not given. */
  end?: number;
  reason?: Reason;
  size?: Size;
  change?: (second: number) => Change;
}

/** Planes of a picture that shows a second as bars over a third of its height, above a ground of some detail. */
export function barsOf(second: number, { width, height }: Size): Uint8Array<ArrayBuffer> {
  const planes = new Uint8Array(width * height * 3 / 2).fill(128, width * height);
  const row = Uint8Array.from(
    { length: width },
    (_, x) => second >>> Math.floor(x * 32 / width) & 1 ? WHITE : BLACK,
  );
  const ground = Uint8Array.from({ length: width }, (_, x) => 60 + x * 7 % 90);
  for (let y = 0; y < height; y++) planes.set(y < height / 3 ? row : ground, y * width);
  return planes;
}

/** The second that a picture shows. @param luma of a part of it that begins at its left upper corner. */
export function secondOf(luma: Uint8Array, stride: number, { width, height }: Size, x = 0, y = 0): number {
  let second = 0;
  for (let bit = 0; bit < BITS; bit++) {
    const at = (y + Math.floor(height / 6)) * stride + x + Math.floor((bit + 0.5) * width / 32);
    if (luma[at] > 128) second |= 1 << bit;
  }
  return second;
}

const NO_SETS: ParameterSets = { sequence: new Uint8Array(8), picture: new Uint8Array(4) };

/** Writes pieces, one after the other. @param isCoded whether the pictures are pictures, and not just some bytes. */
export async function writePast(folder: string, pieces: readonly PastPiece[], isCoded = true): Promise<void> {
  await Deno.mkdir(folder, { recursive: true });
  for (const piece of pieces) await writePiece(folder, piece, isCoded);
}

async function writePiece(folder: string, piece: PastPiece, isCoded: boolean): Promise<void> {
  const { number, seconds, noted = [], end, reason, size = HD, change = () => A_CHANGE } = piece;
  using library = new X264Library();
  using encoder = isCoded ? library.open(size) : null;
  const sets = encoder?.parameterSets() ?? NO_SETS;
  const open = await OpenPiece.create(folder, { number, start: seconds[0] }, size, sets);
  try {
    for (const second of [...seconds, ...noted].sort((one, other) => one - other)) {
      if (!seconds.includes(second)) await open.note(second, change(second));
      else {
        const isFirst = second === seconds[0];
        const coded = await encoder?.encode(barsOf(second, size), isFirst) ?? new Uint8Array(1 + second % 40);
        await open.add(second, coded, isFirst ? NO_CHANGE : change(second));
      }
    }
    if (end !== undefined) await open.until(end);
    if (reason) await open.finish(reason);
  } finally {
    open.close();
  }
}

/** Where a stream's past is. */
export function pastFolder(paths: { rewindDir: string }, id = "clock"): string {
  return join(paths.rewindDir, id);
}
