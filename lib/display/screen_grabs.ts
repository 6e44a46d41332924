/** Pictures of a stream's display, as ffmpeg grabs them: thumbnails, still pictures, and one picture after the other. */
import { parseSize } from "../model/schema.ts";
import type { Identity } from "../machine/os/exec.ts";
import { RUN_MARKER } from "../machine/os/orphans.ts";
import { commandAs } from "../machine/os/users.ts";
import { type BytesRunner, type OutputReader, ProcessError } from "../machine/os/process.ts";

/** Twice the width of a card of the default size, for screens with two pixels a point. */
const MAX_WIDTH = 640;

/** Milliseconds; a capture takes 0.1 s, on a full machine a second. */
const TIMEOUT_MS = 10_000;

/** The kinds of picture: a thumbnail is a small JPEG, the others have the display's size. */
export const PICTURE_KINDS = ["thumbnail", "jpeg", "png"] as const;
export type PictureKind = (typeof PICTURE_KINDS)[number];

/** Bytes at most: many times the largest thumbnail; a PNG of noise on 4096 x 2160 pixels. */
const MAX_BYTES: Record<PictureKind, number> = {
  thumbnail: 4 * 2 ** 20,
  jpeg: 16 * 2 ** 20,
  png: 32 * 2 ** 20,
};

/** Bytes of the largest picture. */
export const MAX_PICTURE_BYTES = MAX_BYTES.png;

/** Pictures a second, at most. */
export const MAX_PICTURE_RATE = 5;

/** JFIF takes BT.601 in full range for granted, whatever the size. Source: ITU-T T.871, section 7. */
export const JPEG_COLOURS = "out_color_matrix=bt601:out_range=pc";

/** The thumbnail's size for a display's, such as "1920x1080": at most 640 wide, both numbers even. */
export function thumbnailSize(resolution: string): { width: number; height: number } {
  const display = parseSize(resolution);
  const width = Math.min(MAX_WIDTH, display.width);
  return { width, height: Math.max(2, Math.round(display.height * width / display.width / 2) * 2) };
}

/** ffmpeg's command line: one frame of the whole display on stdout. */
export function grabCommand(screen: Screen, kind: PictureKind): string[] {
  const { width, height } = thumbnailSize(screen.resolution);
  const output = kind === "png"
    ? ["-vf", "format=rgb24", "-c:v", "png", "-pred", "mixed"]
    : kind === "jpeg"
    ? jpegOutput(`scale=${JPEG_COLOURS}`, 3)
    : jpegOutput(`scale=${width}:${height}:flags=area:${JPEG_COLOURS}`, 4);
  // ffmpeg waits for a frame's time before it grabs
  return [
    ...grabbing(screen, 60),
    "-frames:v",
    "1",
    ...output,
    "-threads",
    "1",
    "-f",
    "image2pipe",
    "pipe:1",
  ];
}

/** ffmpeg's command line: so many JPEGs of the whole display a second on stdout, until it is ended. */
export function motionCommand(screen: Screen, fps: number): string[] {
  const output = jpegOutput(`scale=${JPEG_COLOURS}`, 4);
  return [
    ...grabbing(screen, fps),
    ...output,
    "-threads",
    "1",
    "-flush_packets",
    "1",
    "-f",
    "image2pipe",
    "pipe:1",
  ];
}

function grabbing({ display, resolution }: Screen, fps: number): string[] {
  const size = parseSize(resolution);
  return [
    "/usr/bin/ffmpeg",
    ...["-hide_banner", "-nostdin", "-nostats", "-loglevel", "error"],
    ...["-probesize", "32", "-analyzeduration", "0", "-f", "x11grab", "-draw_mouse", "0"],
    ...["-framerate", String(fps), "-video_size", `${size.width}x${size.height}`, "-i", `:${display}.0`],
  ];
}

/** ffmpeg's options for JPEGs. @param scale filters. @param quality 2 to 31, the best first. */
export function jpegOutput(scale: string, quality: number): string[] {
  return ["-vf", `${scale},format=yuvj420p`, "-c:v", "mjpeg", "-q:v", String(quality)];
}

/** The bytes by which a PNG begins and ends (PNG specification, sections 5.2 and 11.2.5). */
const PNG_BEGIN = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const PNG_END = [0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82];

/** Whether the bytes begin and end as a PNG does. */
export function isWholePng(bytes: Uint8Array): boolean {
  const end = bytes.subarray(-PNG_END.length);
  return bytes.length > PNG_BEGIN.length + PNG_END.length &&
    PNG_BEGIN.every((byte, at) => bytes[at] === byte) &&
    PNG_END.every((byte, at) => end[at] === byte);
}

/** Whether the bytes begin and end as a JPEG does (SOI, EOI). Source: ITU-T T.81, table B.1. */
export function isWholeJpeg(bytes: Uint8Array): boolean {
  const ends = [bytes[0], bytes[1], bytes.at(-2), bytes.at(-1)];
  return bytes.length > 4 && [0xff, 0xd8, 0xff, 0xd9].every((byte, at) => ends[at] === byte);
}

/** A stream's display. */
export interface Screen {
  display: number;
  /** The size, such as "1280x720". */
  resolution: string;
}

/** The stream's user at its display. */
interface Owner {
  /** The stream's user, never root or the web app: a page may control the display and its bytes. */
  user: Identity;
  runDir: string;
  xauthority: string;
}

interface Grabber extends Owner {
  run: BytesRunner;
}

/**
 * Grabs a display. The bytes come through a pipe and are not checked here: a file of the stream's user could be a link
 * to any file.
 * @throws {ProcessError} when ffmpeg has not succeeded within 10 s, or when aborted.
 */
export async function grabScreen(
  { run, user, runDir, xauthority }: Grabber,
  screen: Screen,
  kind: PictureKind,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const { code, stdout, stderr } = await run(commandAs(user, grabCommand(screen, kind)), {
    timeoutMs: TIMEOUT_MS,
    signal,
    env: { [RUN_MARKER]: runDir, XAUTHORITY: xauthority },
    clearEnv: true,
    cwd: "/",
    maxOutput: MAX_BYTES[kind],
  });
  if (code === 0) return stdout;
  const last = stderr.trim().split("\n").at(-1)?.slice(0, 300) || `ffmpeg ended with ${code}`;
  throw new ProcessError(`no picture of display :${screen.display}: ${last}`);
}

/**
 * JPEGs of a display as their bytes come, until the signal aborts or ffmpeg ends; they are not checked here.
 * @param read runs the command line. @throws {ProcessError} when ffmpeg cannot be started.
 */
export function grabMotion(
  read: OutputReader,
  { user, runDir, xauthority }: Owner,
  { fps, ...screen }: Screen & { fps: number },
  signal: AbortSignal,
): AsyncIterable<Uint8Array<ArrayBuffer>> {
  return read(commandAs(user, motionCommand(screen, fps)), {
    signal,
    env: { [RUN_MARKER]: runDir, XAUTHORITY: xauthority },
    clearEnv: true,
    cwd: "/",
  });
}
