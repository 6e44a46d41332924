/** Whether what was kept shows each second of a page as it was then, rather than as it was before. */
import { framesOf, readPicture } from "./frames.ts";
import { packetsOf, spawnFfmpeg } from "./ffmpeg.ts";
import { LUMA_BYTES, type Past, SIZE } from "./past.ts";

/** Side of a cell, in pixels: 16 x 9 cells of a picture. */
const CELL = 80;

export interface Exactness {
  /** Changes that are shown at their second. */
  exact: number;
  /** Changes of the page that can be seen in its brightness. */
  of: number;
}

/** Decoded luma, with the second since which it is shown. */
interface Decoded {
  time: number;
  luma: Uint8Array;
}

async function* decoded(files: readonly string[], known?: readonly number[]): AsyncGenerator<Decoded> {
  for (const file of files) {
    const times = known ?? (await packetsOf(file)).map(({ time }) => time);
    const output = ["-fps_mode", "passthrough", "-vf", "extractplanes=y", "-f", "rawvideo", "pipe:1"];
    const child = spawnFfmpeg(["-loglevel", "error", "-threads", "1", "-i", file, ...output]);
    await child.stdin.close();
    const said = child.stderr.cancel();
    let at = 0;
    for await (const luma of framesOf(child.stdout, LUMA_BYTES)) yield { time: times[at++], luma };
    await said;
    await child.status;
    if (at !== times.length) throw new Error(`${at} of ${times.length} pictures of ${file} can be decoded`);
  }
}

/** Sums of differences from what was kept, in the cells in which a page has changed. */
interface Distance {
  own: number;
  before: number;
}

function differs(one: Uint8Array, other: Uint8Array, from: number): boolean {
  for (let row = from; row < from + CELL * SIZE.width; row += SIZE.width) {
    for (let pixel = row; pixel < row + CELL; pixel++) if (one[pixel] !== other[pixel]) return true;
  }
  return false;
}

/** Adds the distances of a cell. @param from its first pixel. */
function addCell(sum: Distance, kept: Uint8Array, own: Uint8Array, before: Uint8Array, from: number): void {
  for (let row = from; row < from + CELL * SIZE.width; row += SIZE.width) {
    for (let pixel = row; pixel < row + CELL; pixel++) {
      sum.own += Math.abs(kept[pixel] - own[pixel]);
      sum.before += Math.abs(kept[pixel] - before[pixel]);
    }
  }
}

/** Null where nothing differs in brightness. */
function distance(kept: Uint8Array, own: Uint8Array, before: Uint8Array): Distance | null {
  const sum = { own: 0, before: 0 };
  let changed = false;
  for (let top = 0; top < SIZE.height; top += CELL) {
    for (let left = 0; left < SIZE.width; left += CELL) {
      const from = top * SIZE.width + left;
      if (!differs(own, before, from)) continue;
      changed = true;
      addCell(sum, kept, own, before, from);
    }
  }
  return changed ? sum : null;
}

/**
 * Compares all changes of a past, but for its beginning, with what these files show at their seconds.
 * @param times the seconds of the pictures of one file that does not say them.
 */
export async function exactness(
  past: Past,
  files: readonly string[],
  times?: readonly number[],
): Promise<Exactness> {
  using source = await Deno.open(past.path);
  const found = { exact: 0, of: 0 };
  const [own, before] = [new Uint8Array(LUMA_BYTES), new Uint8Array(LUMA_BYTES)];
  const changes = past.changes.slice(1);
  let at = 0;
  let kept: Uint8Array | null = null;
  /** Judges the changes before this second by what was shown until then. */
  const judgeUntil = (second: number) => {
    while (kept !== null && at < changes.length && changes[at].second < second) {
      readPicture(source, changes[at].number, own);
      readPicture(source, changes[at].number - 1, before);
      at++;
      const sums = distance(kept, own, before);
      if (sums === null) continue;
      found.of++;
      if (sums.own < sums.before) found.exact++;
    }
  };
  for await (const { time, luma } of decoded(files, times)) {
    judgeUntil(time);
    kept = luma;
  }
  judgeUntil(Infinity);
  return found;
}
