/** Ways to keep a page's past, and what each of them takes. */
import { join } from "node:path";
import { type Cost, FED, type Fed, ffmpeg, NICE, packetsOf } from "./ffmpeg.ts";
import { everySecond, KEY_PICTURES, KEY_SECONDS, MINUTE, type Past, type Shown } from "./past.ts";
import { QP } from "../../lib/rewind/recorder/x264.ts";
import { thinned } from "./thinning.ts";

export const WAYS = ["a", "b", "b2", "c", "d", "e", "f"] as const;
export type Way = typeof WAYS[number];

/** What was kept, and what that took beside what runs anyway. */
export interface Kept extends Cost {
  /** In the order of their pictures. */
  files: string[];
  bytes: number;
  /** The pictures' seconds, where the file does not say them. */
  times?: number[];
}

const IDLE = 19; // nice
const QUALITY = ["-qp", String(QP), "-x264-params", "cabac=1:8x8dct=1:partitions=i4x4,i8x8:deblock=1,0,0"];
const NO_RATE_CONTROL_DELAY = ["-tune", "zerolatency", "-threads", "1", "-bf", "0"];
const KEYS = [
  ...["-g", String(KEY_PICTURES), "-force_key_frames"],
  `expr:if(isnan(prev_forced_t),1,gte(t-prev_forced_t,${KEY_SECONDS}))`,
];
const TIMES = ["-fps_mode", "passthrough", "-enc_time_base", "1:1000"];

const x264 = (preset: string, quality = QUALITY) => [
  ...["-c:v", "libx264", "-preset", preset, ...NO_RATE_CONTROL_DELAY, ...quality, ...KEYS, ...TIMES],
];

/** A channel's live encoder, whose pictures are all key frames. */
const LIVE = [
  ...["-c:v", "libx264", "-preset", "superfast", ...NO_RATE_CONTROL_DELAY, "-profile:v", "main"],
  ...["-b:v", "2000k", "-maxrate", "2000k", "-bufsize", "4000k", "-g", "1", ...TIMES],
];

const sizeOf = async (files: readonly string[]) =>
  (await Promise.all(files.map((file) => Deno.stat(file)))).reduce((sum, { size }) => sum + size, 0);

/** What ffmpeg takes that reads these pictures and does nothing with them. */
const readingCost = (fed: Fed) =>
  ffmpeg([...FED, ...TIMES, "-c:v", "wrapped_avframe", "-f", "null", "-"], fed);

/** One encoder for all the time, in a process that reads the pictures anyway. */
async function encoded(options: string[], fed: Fed, reading: Cost, file: string): Promise<Kept> {
  const cost = await ffmpeg([...FED, ...options, file], fed);
  const files = [file];
  return { files, bytes: await sizeOf(files), cpu: cost.cpu - reading.cpu, mib: cost.mib - reading.mib };
}

/** All of the processes that come and go. */
async function pieces(files: string[], costs: Cost[]): Promise<Kept> {
  return {
    files,
    bytes: await sizeOf(files),
    cpu: costs.reduce((sum, { cpu }) => sum + cpu, 0),
    mib: Math.max(...costs.map(({ mib }) => mib)),
  };
}

/** An encoder a minute over the raw pictures of that minute. */
async function inBatches({ path, shown }: Fed, folder: string): Promise<Kept> {
  const [files, costs]: [string[], Cost[]] = [[], []];
  for (const [minute, part] of Map.groupBy(shown, ({ second }) => Math.floor(second / MINUTE))) {
    files.push(join(folder, `batch${minute}.mkv`));
    const args = ["-copyts", ...FED, ...x264("ultrafast"), files.at(-1)!];
    costs.push(await ffmpeg(args, { path, shown: part }, IDLE));
  }
  return await pieces(files, costs);
}

/** An encoder a minute over the key frames that the channel had in that minute. */
async function ofKeyFrames(fed: Fed, folder: string): Promise<Kept> {
  const live = join(folder, "live");
  await Deno.mkdir(live);
  const cut = ["-f", "segment", "-segment_format", "matroska", "-segment_time", String(MINUTE)];
  await ffmpeg([...FED, ...LIVE, ...cut, join(live, "%04d.mkv")], fed);
  const [files, costs]: [string[], Cost[]] = [[], []];
  for (const name of [...Deno.readDirSync(live)].map(({ name }) => name).sort()) {
    files.push(join(folder, `key${name}`));
    const input = ["-copyts", "-threads", "1", "-i", join(live, name)];
    costs.push(await ffmpeg([...input, ...x264("ultrafast"), files.at(-1)!], undefined, IDLE));
  }
  return await pieces(files, costs);
}

/** An encoder in a process that has the pictures anyway, without ffmpeg. */
async function inProcess({ path, shown }: Fed, folder: string): Promise<Kept> {
  const program = new URL("x264_cost.ts", import.meta.url).pathname;
  const list = join(folder, "shown.json");
  await Deno.writeTextFile(list, JSON.stringify(shown));
  const file = join(folder, "f.h264");
  const { success, stdout, stderr } = await new Deno.Command("nice", {
    args: ["-n", String(NICE), Deno.execPath(), "run", "-A", "--no-check", program, path, list, file],
  }).output();
  if (!success) throw new Error(`x264 failed: ${new TextDecoder().decode(stderr)}`);
  const cost: Cost = JSON.parse(new TextDecoder().decode(stdout));
  const files = [file];
  return { ...cost, files, bytes: await sizeOf(files), times: shown.map(({ second }) => second) };
}

/** What a recorder keeps: the first way decides how many pictures are too many for a day. */
async function chosen({ path }: Past, shown: Shown[], folder: string): Promise<Fed> {
  const file = join(folder, "all.mkv");
  await ffmpeg([...FED, ...x264("ultrafast"), file], { path, shown });
  return { path, shown: thinned(shown, await packetsOf(file)) };
}

/** Keeps a past in all ways, in this folder. @param shown the pictures that a recorder is offered. */
export async function keepInAllWays(
  past: Past,
  shown: Shown[],
  folder: string,
): Promise<Record<Way, Kept>> {
  const fed = await chosen(past, shown, folder);
  const reading = await readingCost(fed);
  const seconds = { path: past.path, shown: everySecond(past) };
  const file = (name: string) => join(folder, name);
  const dropping = ["-vf", "mpdecimate", ...x264("ultrafast")];
  return {
    a: await encoded(x264("ultrafast"), fed, reading, file("a.mkv")),
    b: await encoded(x264("veryfast"), fed, reading, file("b.mkv")),
    b2: await encoded(x264("veryfast", ["-crf", "23"]), fed, reading, file("b2.mkv")),
    c: await inBatches(fed, folder),
    d: await ofKeyFrames(fed, folder),
    e: await encoded(dropping, seconds, await readingCost(seconds), file("e.mkv")),
    f: await inProcess(fed, folder),
  };
}
