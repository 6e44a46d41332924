/** ffmpeg as a client that plays a channel for as long as it is wanted, and notes the times of pictures and beeps. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { BLOCKS, type DecodedPicture, paintedTime } from "./painted_time.ts";

/** Where tests/fixtures/burst.html has its blocks. */
const CROP = "crop=1280:500:0:0";
/** Louder than what AAC puts before a beep, and softer than the beep. */
const NOISE = "-30dB";
/** Of the times that are printed. A beep's is that of so many samples in which it begins: 5 ms. */
const [VIDEO_TICKS, SAMPLE_RATE, SAMPLES] = [90_000, 48_000, 240];
const FILES = { levels: "levels.gray", pictures: "pictures", beeps: "beeps" };

export interface Decoded {
  /** What ffmpeg complained of. */
  errors: string;
  pictures: DecodedPicture[];
  /** Seconds at which silence ended. */
  beeps: number[];
}

export interface MeasuringClient extends AsyncDisposable {
  /** Ends it. @throws {AssertionError} when it had ended by itself. */
  end(): Promise<Decoded>;
}

/** Begins to decode all of a channel, with the stream's own times. */
export async function startMeasuringClient(url: string): Promise<MeasuringClient> {
  const folder = await Deno.makeTempDir({ prefix: "browser-stream-measuring-" });
  const file = (name: keyof typeof FILES) => join(folder, FILES[name]);
  // whole numbers, since FFmpeg writes seconds with six digits; the statistics are there so that there is something to print
  const video = `[0:v]settb=1/${VIDEO_TICKS},${CROP},scale=${BLOCKS.columns}:${BLOCKS.rows}:flags=area,` +
    `signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=${file("pictures")},format=gray[v]`;
  const audio = `[0:a]aresample=${SAMPLE_RATE},asetnsamples=${SAMPLES},` +
    `silencedetect=noise=${NOISE}:d=1,ametadata=print:key=lavfi.silence_end:file=${file("beeps")}[a]`;
  const child = new Deno.Command("/usr/bin/ffmpeg", {
    args: [
      ...["-v", "error", "-nostdin", "-copyts", "-i", url, "-filter_complex", `${video};${audio}`],
      // times of their own: rounded to a guessed rate, those of two pictures would be one
      ...["-map", "[v]", "-fps_mode", "passthrough", "-enc_time_base", `1:${VIDEO_TICKS}`],
      ...["-f", "rawvideo", file("levels")],
      ...["-map", "[a]", "-f", "null", "-"],
    ],
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const errors = new Response(child.stderr).text();
  let hasEnded = false;
  child.status.then(() => hasEnded = true);
  const end = async () => {
    if (!hasEnded) child.kill("SIGTERM");
    await child.status;
    return await errors;
  };
  return {
    async end() {
      assert.ok(!hasEnded, "ffmpeg ended by itself");
      const said = await end();
      const levels = await Deno.readFile(file("levels"));
      const times = await printedTimes(file("pictures"), VIDEO_TICKS);
      const size = BLOCKS.columns * BLOCKS.rows;
      // the last one may have had no time to be written
      const missing = times.length - levels.length / size;
      assert.ok(missing === 0 || missing === 1, `${missing} pictures are missing`);
      return {
        errors: said,
        pictures: times.slice(0, levels.length / size).map((at, index) => ({
          at,
          painted: paintedTime(levels.subarray(index * size, (index + 1) * size)),
        })),
        beeps: await printedTimes(file("beeps"), SAMPLE_RATE),
      };
    },
    async [Symbol.asyncDispose]() {
      await end();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Seconds: the times of what FFmpeg's `metadata` has printed. */
async function printedTimes(path: string, ticks: number): Promise<number[]> {
  const text = await Deno.readTextFile(path);
  return Array.from(text.matchAll(/^frame:\d+ +pts:(\d+)/gm), ([, pts]) => Number(pts) / ticks);
}
