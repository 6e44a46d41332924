/** What a real player sees: ffprobe and ffmpeg on playlists and segments. */
import { strict as assert } from "node:assert";
import { run } from "../../lib/machine/os/process.ts";
import { BLOCKS } from "./painted_time.ts";

export interface Playlist {
  sequence: number;
  targetDuration: number;
  segments: { uri: string; duration: number; discontinuity: boolean }[];
}

export function parsePlaylist(text: string): Playlist {
  const playlist: Playlist = { sequence: NaN, targetDuration: NaN, segments: [] };
  let duration = 0;
  let discontinuity = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("#EXT-X-MEDIA-SEQUENCE:")) playlist.sequence = Number(line.split(":")[1]);
    else if (line.startsWith("#EXT-X-TARGETDURATION:")) playlist.targetDuration = Number(line.split(":")[1]);
    else if (line === "#EXT-X-DISCONTINUITY") discontinuity = true;
    else if (line.startsWith("#EXTINF:")) duration = parseFloat(line.slice(8));
    else if (line !== "" && !line.startsWith("#")) {
      playlist.segments.push({ uri: line, duration, discontinuity });
      discontinuity = false;
    }
  }
  return playlist;
}

/** The playlist at an address, or null when there is none now. */
export async function fetchPlaylist(url: string): Promise<Playlist | null> {
  const response = await fetch(url);
  const text = await response.text();
  return response.ok ? parsePlaylist(text) : null;
}

export interface Probe {
  streams: Record<string, string>[];
}

/** What ffprobe says of an address. @param more of its options. */
export async function probe(url: string, ...more: string[]): Promise<Probe> {
  const argv = ["/usr/bin/ffprobe", "-v", "error", "-of", "json", "-show_streams", ...more, url];
  const { code, stdout, stderr } = await run(argv, { timeoutMs: 30_000 });
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

async function ffmpegBytes(args: string[], limit = 30_000): Promise<Uint8Array> {
  const command = new Deno.Command("/usr/bin/ffmpeg", {
    args: ["-v", "error", "-nostdin", ...args, "pipe:1"],
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(limit),
  });
  const { code, stdout, stderr } = await command.output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return stdout;
}

export interface Frame {
  width: number;
  data: Uint8Array;
}

/** Red, green and blue at a point. */
export function pixel({ width, data }: Frame, x: number, y: number): [number, number, number] {
  const at = (y * width + x) * 3;
  return [data[at], data[at + 1], data[at + 2]];
}

/** The brightness of the middle of each of 8 x 5 blocks in a part of a frame. */
export function blockLevels(
  frame: Frame,
  left: number,
  top: number,
  width: number,
  height: number,
): Uint8Array {
  const { columns, rows } = BLOCKS;
  return Uint8Array.from({ length: columns * rows }, (_, at) => {
    const x = left + (at % columns + 0.5) * width / columns;
    const y = top + (Math.floor(at / columns) + 0.5) * height / rows;
    return pixel(frame, Math.floor(x), Math.floor(y))[1];
  });
}

/** Whether a colour is the wanted one; H.264's conversion there and back moves it by a few steps. */
export function isColour(seen: readonly number[], wanted: readonly number[]): boolean {
  return seen.every((value, at) => Math.abs(value - wanted[at]) <= 14);
}

/**
 * How ffmpeg reads an address. A playlist from its newest segment on: those before may be of the time when the page was
 * not painted yet. A segment as what it is: a second of a blank page has 10 packets, too few for ffmpeg to guess by.
 */
function reading(url: string): string[] {
  if (/\.m3u8(\?|$)/.test(url)) return ["-live_start_index", "-1"];
  return /\.ts(\?|$)/.test(url) ? ["-f", "mpegts"] : [];
}

/** The decoded frames of a segment, or of a live playlist from its newest segment on, at most `count`, made that large. */
export async function frames(url: string, width: number, height: number, count: number): Promise<Frame[]> {
  const data = await ffmpegBytes([
    ...reading(url),
    "-i",
    url,
    "-frames:v",
    String(count),
    "-vf",
    `scale=${width}:${height}`,
    "-f",
    "rawvideo",
    "-pix_fmt",
    "rgb24",
  ]);
  const size = width * height * 3;
  return Array.from({ length: Math.floor(data.length / size) }, (_, at) => ({
    width,
    data: data.subarray(at * size, (at + 1) * size),
  }));
}

export interface Sound {
  /** Loudness, 0 to 1. */
  rms: number;
  /** That of the typical cycle, Hz, which a moment without sound does not change; 0 of what has none. */
  frequency: number;
}

/** What some seconds of a segment, or of a live playlist from its newest segment on, sound like. */
export async function sound(url: string, seconds: number): Promise<Sound> {
  return heard(await samples([...reading(url), "-i", url, "-t", String(seconds)]));
}

/** What each of a file's last seconds sounds like. */
export async function lastSounds(file: string, seconds: number): Promise<Sound[]> {
  const all = await samples(["-sseof", `-${seconds}`, "-i", file]);
  const whole = Math.floor(all.length / SAMPLE_RATE);
  return Array.from(
    { length: whole },
    (_, at) => heard(all.subarray(at * SAMPLE_RATE, (at + 1) * SAMPLE_RATE)),
  );
}

const SAMPLE_RATE = 48_000;

async function samples(args: string[]): Promise<Float32Array> {
  const bytes = await ffmpegBytes([...args, "-vn", "-ac", "1", "-ar", String(SAMPLE_RATE), "-f", "f32le"]);
  return new Float32Array(bytes.slice(0, bytes.length - bytes.length % 4).buffer);
}

function heard(samples: Float32Array): Sound {
  const NOISE = 0.02;
  const cycles: number[] = [];
  let square = 0, from = 0, isLow = false;
  for (const [at, sample] of samples.entries()) {
    square += sample * sample;
    if (sample > NOISE && isLow) {
      cycles.push(at - from);
      from = at;
    }
    if (Math.abs(sample) > NOISE) isLow = sample < 0;
  }
  const typical = cycles.sort((a, b) => a - b).at(cycles.length / 2);
  return { rms: Math.sqrt(square / samples.length), frequency: typical ? SAMPLE_RATE / typical : 0 };
}
