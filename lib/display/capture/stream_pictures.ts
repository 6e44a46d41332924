/** Writes a display's pictures to an encoder, as long as display and encoder are there. */
import { waitingUntil } from "../../machine/tools/time.ts";
import { writeAll } from "../../machine/tools/write_all.ts";
import type { FrameCounts } from "./frame_counts.ts";
import { matroskaHeader, PICTURE_HEAD_BYTES, pictureHead } from "./matroska.ts";
import { missedTicks, Pacer } from "./pacer.ts";
import { Picture, type Rows } from "./picture.ts";
import type { Screen } from "./screen.ts";
import type { Wanted } from "./wanted.ts";

/** A change of the clock by more than this needs a new encoder: the sound has the new time at once. */
const CLOCK_STEP_MS = 1000;

/** An encoder that was away for longer than this begins anew; the media server has dropped it by then. */
const LONGEST_WAIT_MS = 15_000;

interface Output {
  write(bytes: Uint8Array): Promise<number>;
}

/** Sees the pictures that a display's encoders get, one encoder after the other. All times are Unix times in ms. */
export interface PictureWatcher {
  /** An encoder gets this picture from now on. */
  begin(picture: Picture, now: number): void;
  /** Rows of the picture are new. */
  changed(rows: Rows, now: number): void;
  /** Comes at least each half second, and before each change: the picture has been as it is until now. */
  tick(now: number): void;
  /** The encoder has gone, and its picture does not change any more. */
  end(): void;
  /** The display has gone. Resolves when its pictures are not needed any more. */
  close(): Promise<void>;
}

/** The first picture's time is earlier by this at most: the encoder takes so long to open its sound and connect. */
const LONGEST_START_MS = 500;

/**
 * Writes a display's pictures until `signal` aborts. At most one picture is in memory: a slow encoder gets fewer.
 * @param since when the encoder asked for pictures, Unix ms: its sound begins soon after, and the first picture has
 * this time, so that the channel does not begin with sound alone.
 * @param seen takes the counts of the display, which are counted up, and each picture.
 * @throws {Error} when the display or the reader has gone, or the clock was set.
 */
export async function streamPictures(
  screen: Screen,
  pixels: WebAssembly.Module,
  wanted: Wanted,
  since: number,
  output: Output,
  { frames, watcher }: { frames: FrameCounts; watcher: PictureWatcher },
  signal: AbortSignal,
): Promise<void> {
  const picture = new Picture(pixels, screen, wanted.output, PICTURE_HEAD_BYTES);
  picture.updateAll();
  // X reported the first content before `ondamage` was set, and reports nothing new until that content is read
  let hasChanged = true;
  let changedAt = Infinity;
  const alarm = new Alarm();
  signal.addEventListener("abort", () => alarm.ring());
  // Deno breaks off no write: a write to a stopped reader ends with that reader
  const untilOver = waitingUntil(signal);
  const toReader = (bytes: Uint8Array) => untilOver(writeAll(output, bytes));
  screen.ondamage = () => {
    hasChanged = true;
    changedAt = Date.now();
    alarm.ring();
  };
  const write = async (at: number) => {
    picture.bytes.set(pictureHead(at, picture.bytes.length - PICTURE_HEAD_BYTES));
    await toReader(picture.bytes);
    frames.sent++;
  };
  await toReader(matroskaHeader(wanted.output, wanted.fps));
  const begin = Date.now();
  using _watching = watching(watcher, picture, begin);
  const pacer = new Pacer(wanted, Math.min(begin, Math.max(since, begin - LONGEST_START_MS)));
  const clock = new Clock();
  while (!signal.aborted) {
    const now = clock.now();
    watcher.tick(now);
    const next = pacer.nextAt(now, hasChanged);
    if (next > now) {
      await alarm.wait(next - now);
      continue;
    }
    if (now - next > LONGEST_WAIT_MS) throw new Error(`nothing was read for ${LONGEST_WAIT_MS / 1000} s`);
    const { oldAt, at } = pacer.due(now, hasChanged);
    if (oldAt !== null) await write(oldAt);
    let isNew = false;
    if (hasChanged) {
      hasChanged = false;
      frames.dropped += missedTicks(changedAt, now, wanted.fps);
      const rows = await screen.readChanges();
      if (rows) {
        watcher.changed(picture.update(rows), now);
        isNew = true;
      }
    }
    await write(at);
    pacer.wrote(isNew);
  }
}

function watching(watcher: PictureWatcher, picture: Picture, now: number): Disposable {
  watcher.begin(picture, now);
  return { [Symbol.dispose]: () => watcher.end() };
}

/** A wait that can be cut short. */
class Alarm {
  ring: () => void = () => {};

  wait(ms: number): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, ms);
      this.ring = () => {
        clearTimeout(timer);
        done();
      };
    });
  }
}

/** The time, as long as the clock is not set. */
class Clock {
  #offset = Date.now() - performance.now();

  /** Unix ms. @throws {Error} when the clock was set. */
  now(): number {
    const now = Date.now();
    const offset = now - performance.now();
    if (Math.abs(offset - this.#offset) > CLOCK_STEP_MS) throw new Error("the clock was set");
    // the clock may be slowed down for days, to be right again
    this.#offset = offset;
    return now;
  }
}
