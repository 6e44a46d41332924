/** A display with its recorder, in the test's own time, and what it has kept, by ffmpeg. */
import type { Reason } from "../../lib/model/past.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Picture, Size } from "../../lib/display/capture/picture.ts";
import { namesIn } from "../../lib/machine/os/files.ts";
import { Semaphore } from "../../lib/machine/tools/concurrency.ts";
import { streamId } from "../../lib/model/id.ts";
import { DisplayRecorder } from "../../lib/rewind/recorder/display_recorder.ts";
import { parsePiece, parsePieceFile, type Piece } from "../../lib/rewind/recorder/piece.ts";
import { Shelf } from "../../lib/rewind/recorder/shelf.ts";
import { X264Library } from "../../lib/rewind/recorder/x264.ts";
import { secondOf } from "./past.ts";
import { ToldPicture } from "./told_pictures.ts";

export const BEGIN = 1_764_460_800; // 2025-11-30
export const ID = streamId("clock");
export const SIZE = { width: 320, height: 180 };
export const MUCH = { totalBytes: 1e12, freeBytes: 1e12, totalFiles: 0, freeFiles: 0 };

/** A display with its recorder, in the test's own time: seconds since BEGIN. */
export class Filmed implements AsyncDisposable {
  readonly counts = { sent: 0, dropped: 0, changedAt: 0 };
  picture = new ToldPicture(SIZE);
  space = { ...MUCH };
  now = 0;
  #encoders = new X264Library();
  #recorder: DisplayRecorder;
  #hold: Reason | null = null;

  /** @param id its stream. */
  constructor(readonly shelf: Shelf, readonly id = ID) {
    this.#recorder = new DisplayRecorder({
      shelf,
      encoders: this.#encoders,
      coding: new Semaphore(1),
      counts: this.counts,
    });
  }

  static async begin(folder: string, { hold = null as Reason | null, bytes = 1e9, seconds = 86_400 } = {}) {
    const limits = {
      bytes,
      taken: () => Promise.resolve(0),
      seconds,
      leastFree: { leastFreeMb: 500, leastFreePercent: 10 },
    };
    let filmed: Filmed | null = null;
    const shelf = await Shelf.open(folder, limits, () => Promise.resolve(filmed?.space ?? MUCH));
    filmed = new Filmed(shelf);
    await filmed.order(hold);
    return filmed;
  }

  get #ms(): number {
    return BEGIN * 1000 + this.now * 1000;
  }

  async order(hold: Reason | null): Promise<void> {
    this.#hold = hold;
    await this.#recorder.order({ id: this.id, hold });
  }

  /** An encoder comes. */
  reader(size: Size = SIZE): void {
    if (size !== this.picture.output) this.picture = new ToldPicture(size);
    this.#recorder.begin(this.picture as unknown as Picture, this.#ms);
  }

  async gone(): Promise<void> {
    this.#recorder.end();
    await this.#settled();
  }

  /** The page shows a number. */
  show(number: number): void {
    this.picture.tell(number);
    this.#recorder.tick(this.#ms);
    this.#recorder.changed({ top: 0, bottom: this.picture.output.height }, this.#ms);
  }

  /** The page shows what no encoder makes small. */
  noise(): void {
    this.show(0);
    for (let at = 0; at < SIZE.width * SIZE.height; at += 65_536) {
      crypto.getRandomValues(
        this.picture.planes.subarray(at, Math.min(at + 65_536, SIZE.width * SIZE.height)),
      );
    }
  }

  /** Time goes by, a half second after the other, as the encoder's pictures need it. */
  async pass(seconds: number): Promise<void> {
    for (let half = 0; half < 2 * seconds; half++) {
      this.now += 0.5;
      this.#recorder.tick(this.#ms);
      await this.#settled();
    }
  }

  async #settled(): Promise<void> {
    await this.#recorder.order({ id: this.id, hold: this.#hold });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#recorder.close();
    this.#encoders[Symbol.dispose]();
  }
}

/** All pieces, in their order. */
export async function piecesIn(folder: string, id = ID): Promise<{ piece: Piece; path: string }[]> {
  const names = (await namesIn(join(folder, id))).map(parsePieceFile).filter((name) => name !== null);
  const sorted = names.toSorted((one, other) => one.number - other.number);
  return await Promise.all(sorted.map(async (name) => {
    const path = join(folder, id, `${String(name.number).padStart(8, "0")}-${name.start}`);
    const { size } = await Deno.stat(`${path}.mkv`);
    const piece = parsePiece(name, await Deno.readTextFile(`${path}.txt`), size);
    assert.ok(piece);
    return { piece, path: `${path}.mkv` };
  }));
}

/** The pictures of a file, by ffmpeg: when they come, in s since BEGIN, and the numbers that they tell. */
export async function played(path: string, size = SIZE): Promise<[number, number][]> {
  const input = ["-v", "error", "-copyts", "-i", path];
  const show = ["-f", "rawvideo", "-pix_fmt", "gray", "-fps_mode", "passthrough", "-"];
  const { stdout, stderr } = await new Deno.Command("ffmpeg", { args: [...input, ...show] }).output();
  assert.equal(new TextDecoder().decode(stderr), "", path);
  const times = await new Deno.Command("ffprobe", {
    args: ["-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0", path],
  }).output();
  const at = new TextDecoder().decode(times.stdout).trim().split(/[\n,]+/).map((time) =>
    Number(time) - BEGIN
  );
  const bytes = size.width * size.height;
  assert.equal(stdout.length, at.length * bytes, "as many pictures as packets");
  return at.map((time, n) => [time, secondOf(stdout.subarray(n * bytes, (n + 1) * bytes), size.width, size)]);
}

export async function allPlayed(folder: string, id = ID): Promise<[number, number][]> {
  return (await Promise.all((await piecesIn(folder, id)).map(({ path }) => played(path)))).flat();
}

/** What the text says: seconds since BEGIN. */
export async function told(folder: string) {
  return (await piecesIn(folder)).map(({ piece: { start, end, reason, pictures } }) => ({
    from: start - BEGIN,
    to: end - BEGIN,
    reason,
    changes: pictures.map(({ at, share, place }) => [at - BEGIN, share, place !== null] as const),
  }));
}
