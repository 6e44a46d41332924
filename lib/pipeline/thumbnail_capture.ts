/** The thumbnail: one frame of a stream's display as a JPEG. */
import { parseSize } from "../model/schema.ts";
import type { Identity } from "../os/exec.ts";
import { RUN_MARKER } from "../os/orphans.ts";
import { commandAs } from "../os/users.ts";
import { type BytesRunner, ProcessError } from "../os/process.ts";

/** Twice the width of a card of the default size, for screens with two pixels a point. */
const MAX_WIDTH = 640;

/** Milliseconds; a capture takes 0.1 s, on a full machine a second. */
const TIMEOUT_MS = 10_000;

/** Bytes: many times the largest JPEG of this size. */
const MAX_BYTES = 4 * 1024 * 1024;

/** JFIF takes BT.601 in full range for granted, whatever the size. Source: ITU-T T.871, section 7. */
const COLOURS = "out_color_matrix=bt601:out_range=pc";

/** The thumbnail's size for a display's, such as "1920x1080": at most 640 wide, both numbers even. */
export function thumbnailSize(resolution: string): { width: number; height: number } {
  const display = parseSize(resolution);
  const width = Math.min(MAX_WIDTH, display.width);
  return { width, height: Math.max(2, Math.round(display.height * width / display.width / 2) * 2) };
}

/** ffmpeg's command line: one frame of the whole display, as a JPEG on stdout. */
export function thumbnailCommand({ display, resolution }: Screen): string[] {
  const size = parseSize(resolution);
  const { width, height } = thumbnailSize(resolution);
  return [
    "/usr/bin/ffmpeg",
    ...["-hide_banner", "-nostdin", "-nostats", "-loglevel", "error"],
    // ffmpeg waits for a frame's time before it grabs
    ...["-probesize", "32", "-analyzeduration", "0", "-f", "x11grab", "-draw_mouse", "0", "-framerate", "60"],
    ...["-video_size", `${size.width}x${size.height}`, "-i", `:${display}.0`, "-frames:v", "1"],
    ...["-vf", `scale=${width}:${height}:flags=area:${COLOURS},format=yuvj420p`],
    ...["-c:v", "mjpeg", "-q:v", "4", "-threads", "1", "-f", "image2pipe", "pipe:1"],
  ];
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

interface Grabber {
  run: BytesRunner;
  /** The stream's user, never root or the web app: a page may control the display and its bytes. */
  user: Identity;
  runDir: string;
  xauthority: string;
}

/**
 * Grabs a display. The bytes come through a pipe and are not checked here: a file of the stream's user could be a link
 * to any file.
 * @throws {ProcessError} when ffmpeg has not succeeded within 10 s, or when aborted.
 */
export async function grabScreen(
  { run, user, runDir, xauthority }: Grabber,
  screen: Screen,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const { code, stdout, stderr } = await run(commandAs(user, thumbnailCommand(screen)), {
    timeoutMs: TIMEOUT_MS,
    signal,
    env: { [RUN_MARKER]: runDir, XAUTHORITY: xauthority },
    clearEnv: true,
    cwd: "/",
    maxOutput: MAX_BYTES,
  });
  if (code === 0) return stdout;
  const last = stderr.trim().split("\n").at(-1)?.slice(0, 300) || `ffmpeg ended with ${code}`;
  throw new ProcessError(`no thumbnail of display :${screen.display}: ${last}`);
}
