/**
 * ffmpeg's command lines for what is made of pieces, which come through its input, one behind the other. Pure. Times are Unix
 * times in s, as the pieces have them.
 */
import { SHEET, type Speed } from "../model/past.ts";
import type { Size } from "../display/capture/picture.ts";
import { JPEG_COLOURS, jpegOutput } from "../display/screen_grabs.ts";
import { filmRate } from "./film.ts";

/** Behind what viewers wait for on the air. */
const NICE = ["/usr/bin/nice", "-n", "10"];

/** Whoever waits for a picture waits for ffmpeg's start, so it looks at nothing before it decodes. */
const INPUT = [
  ...["/usr/bin/ffmpeg", "-hide_banner", "-nostdin", "-nostats", "-loglevel", "error"],
  ...["-probesize", "32", "-analyzeduration", "0", "-fpsprobesize", "0", "-copyts"],
];
const PIECES = ["-f", "matroska", "-i", "pipe:0"];
const ONE_THREAD = ["-threads", "1"];

/** Key frames are decoded side by side; edges between blocks are not seen in small pictures. */
const ROUGHLY = ["-threads", "2", "-skip_loop_filter", "all"];
const JPEG = ["-frames:v", "1", "-fps_mode", "passthrough", "-threads", "1", "-f", "image2pipe", "pipe:1"];

/** The picture of a time, as a JPEG. */
export function pictureCommand(at: number): string[] {
  return [
    ...INPUT,
    ...ONE_THREAD,
    ...PIECES,
    ...jpegOutput(`select='gte(t,${at})',scale=${JPEG_COLOURS}`, 3),
    ...JPEG,
  ];
}

const COLOURS = [
  ...["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"],
];

/** What a film shows, as seconds of the past. */
export interface FilmPart {
  start: number;
  seconds: number;
  speed: Speed;
}

/** The filters that give each second its picture, and the film its pace. @param timestamp that it begins with, in s. */
function filmFilters({ start, speed }: FilmPart, timestamp: number): string {
  const rate = filmRate(speed);
  return `fps=fps=${rate / speed}:start_time=${start},settb=1/${rate},setpts=N+${
    Math.round(timestamp * rate)
  },format=yuv420p`;
}

/** How many pictures a film has. */
const framesOf = ({ seconds, speed }: FilmPart) => Math.max(1, Math.round(seconds * filmRate(speed) / speed));

/** A transport stream with a key frame at its beginning. @param timestamp that it begins with, in s. */
export function segmentCommand(part: FilmPart, timestamp: number): string[] {
  const frames = String(framesOf(part));
  return [
    ...NICE,
    ...INPUT,
    ...ONE_THREAD,
    ...PIECES,
    ...["-vf", filmFilters(part, timestamp), "-frames:v", frames, "-fps_mode", "passthrough"],
    ...["-enc_time_base", `1:${filmRate(part.speed)}`],
    ...["-c:v", "libx264", "-preset", "ultrafast", "-crf", "20", "-threads", "1", "-bf", "0"],
    ...["-g", frames, "-keyint_min", frames, "-sc_threshold", "0"],
    ...COLOURS,
    // each segment has counters of its own; VLC takes a picture of an unknown length for complete when the next one comes,
    // which is too late to show it
    ...["-omit_video_pes_length", "0"],
    ...["-muxdelay", "0", "-muxpreload", "0", "-mpegts_flags", "+initial_discontinuity"],
    ...["-f", "mpegts", "pipe:1"],
  ];
}

/** Pictures a second of an MP4 at least: some players show fewer as a slide show. */
const LEAST_RATE = 5;

/** An MP4 for all players, at idle priority. Its progress is told in the output. @param size of all pictures. */
export function exportCommand(part: FilmPart, { width, height }: Size, path: string): string[] {
  const rate = Math.max(LEAST_RATE, filmRate(part.speed));
  const filters = [`scale=${width}:${height}`, filmFilters(part, 0), `fps=${rate}`];
  return [
    ...["/usr/bin/nice", "-n", "19"],
    ...INPUT,
    ...ONE_THREAD,
    ...["-reinit_filter", "0"],
    ...PIECES,
    ...["-vf", filters.join(","), "-t", (part.seconds / part.speed).toFixed(3), "-fps_mode", "passthrough"],
    ...["-enc_time_base", `1:${rate}`],
    ...["-c:v", "libx264", "-preset", "veryfast", "-crf", "22", "-threads", "1", "-profile:v", "high"],
    ...COLOURS,
    ...["-movflags", "+faststart", "-progress", "pipe:1", "-f", "mp4", "-y", path],
  ];
}

/** A sheet as a JPEG. @param missing numbers of its places that stay black, in rising order. */
export function sheetCommand(start: number, step: number, missing: readonly number[]): string[] {
  const { columns, rows, width, height } = SHEET;
  const filters = [
    // the last picture by the time of each place
    `fps=fps=1/${step}:start_time=${start}:round=up`,
    `scale=${width}:${height}:flags=area:${JPEG_COLOURS}`,
    ...runsOf(missing).map(([first, last]) => `drawbox=c=black:t=fill:enable='between(n,${first},${last})'`),
    `tile=${columns}x${rows}`,
  ];
  return [
    ...NICE,
    ...INPUT,
    ...ROUGHLY,
    // pieces of another size do not begin another sheet
    ...["-reinit_filter", "0"],
    ...PIECES,
    ...jpegOutput(filters.join(","), 5),
    ...JPEG,
  ];
}

/** Numbers that follow each other, as first and last. */
function runsOf(numbers: readonly number[]): [first: number, last: number][] {
  const runs: [number, number][] = [];
  for (const number of numbers) {
    const last = runs.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else runs.push([number, number]);
  }
  return runs;
}
