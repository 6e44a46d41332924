/** The encoder: ffmpeg grabs the display and the stream's sink, and publishes to the media server. */
import { parseSize } from "../streams/schema.ts";
import { gopFrames, rtmpApplication } from "../streams/segments.ts";
import { SINK, type StreamSpec } from "./spec.ts";

/** HD players take BT.709 for granted; ffmpeg would convert by BT.601 and every colour would be off. */
const COLOURS = "out_color_matrix=bt709:out_range=tv";

const AUDIO_BITRATE = "96k";

/** Seconds after which the 33 bits of an MPEG-TS timestamp (90 kHz) wrap around. */
const TIMESTAMP_PERIOD = 2 ** 33 / 90_000;

/**
 * Where an encoder's timestamps start: at the clock, in seconds. So those of its successor are ahead by the time that
 * really went by. Players that know of no discontinuities (mpv, and more that are built on FFmpeg) would else wait
 * until the old time is reached again, or throw away what seems to be long ago.
 */
export function firstTimestamp(now: number): number {
  return now / 1000 % TIMESTAMP_PERIOD;
}

/** The stream's sound, or silence: an audio track is always there, IPTV players need one. */
function audioInput(hasSink: boolean): string[] {
  if (!hasSink) return ["-f", "lavfi", "-i", "anullsrc=r=48000:cl=stereo"];
  return ["-thread_queue_size", "1024", "-f", "pulse", "-i", `${SINK}.monitor`];
}

export interface EncoderSurroundings {
  /** Whether the stream's sink is there. */
  hasSink: boolean;
  rtmpPort: number;
  /** The file with the channel's name and key (lib/media/publish.ts). */
  preset: string;
  /** Unix ms. */
  now: number;
}

/**
 * ffmpeg's command line. The sound comes first: opened after the display it left the picture 0.5-1.5 s late
 * (docs/pipeline.md, "Input order").
 */
export function encoderCommand(
  spec: StreamSpec,
  { hasSink, rtmpPort, preset: publishPreset, now }: EncoderSurroundings,
): string[] {
  const { resolution, scale, fps, preset, tune, threads, bitrate, bufsize } = spec.stream;
  const { width, height } = parseSize(resolution);
  const output = parseSize(scale);
  const gop = String(gopFrames(spec.stream));
  return [
    "/usr/bin/ffmpeg",
    "-hide_banner",
    "-nostdin",
    "-nostats",
    "-loglevel",
    "warning",
    ...audioInput(hasSink),
    ...["-thread_queue_size", "8", "-probesize", "32", "-analyzeduration", "0"],
    ...["-f", "x11grab", "-draw_mouse", "0", "-framerate", String(fps)],
    ...["-video_size", `${width}x${height}`, "-i", `:${spec.display}.0`],
    ...["-map", "1:v", "-map", "0:a"],
    ...["-vf", `scale=${output.width}:${output.height}:flags=bilinear:${COLOURS},format=yuv420p`],
    ...["-c:v", "libx264", "-preset", preset, ...(tune === "none" ? [] : ["-tune", tune])],
    ...["-threads", String(threads), "-profile:v", "main", "-bf", "0"],
    // equal timestamps make equal segments, and so a constant target duration
    ...["-fps_mode", "cfr", "-r", String(fps), "-g", gop, "-keyint_min", gop, "-sc_threshold", "0"],
    ...["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"],
    ...["-b:v", bitrate, "-maxrate", bitrate, "-bufsize", bufsize],
    ...["-c:a", "aac", "-b:a", AUDIO_BITRATE, "-ar", "48000", "-ac", "2", "-af", "aresample=async=1000"],
    ...["-output_ts_offset", firstTimestamp(now).toFixed(3)],
    ...["-flvflags", "no_duration_filesize", "-fpre", publishPreset],
    ...["-f", "flv", `rtmp://127.0.0.1:${rtmpPort}/${rtmpApplication(spec.stream)}`],
  ];
}
