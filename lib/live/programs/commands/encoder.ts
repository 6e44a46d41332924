/**
 * The encoder: ffmpeg takes the display's pictures and the stream's sound, and publishes to the media server. The pictures
 * come from the capture program (lib/display/capture), which reads only changes; where it cannot, ffmpeg grabs the display.
 */
import { parseSize } from "../../../model/schema.ts";
import { gopFrames, rtmpApplication } from "../../../model/segments.ts";
import type { ThreadTimes } from "../../../machine/os/thread_load.ts";
import { SINK, type StreamSpec } from "./spec.ts";

/** HD players take BT.709 for granted; ffmpeg would convert by BT.601 and every colour would be off. */
const COLOURS = "out_color_matrix=bt709:out_range=tv";

const AUDIO_BITRATE = "96k";

/** Seconds after which the 33 bits of an MPEG-TS timestamp (90 kHz) wrap around. */
export const TIMESTAMP_PERIOD = 2 ** 33 / 90_000;

/**
 * The start of an encoder's timestamps: the clock, in seconds. So its successor's timestamps are ahead by the time that
 * really went by. Otherwise players without support of discontinuities (mpv, and more players built on FFmpeg) would
 * wait until the old time is reached again, or throw away pictures with an old time.
 */
export function firstTimestamp(now: number): number {
  return now / 1000 % TIMESTAMP_PERIOD;
}

/** The visible facts of an encoder's process. */
export interface EncoderProcess {
  threads: ThreadTimes;
  commandLine: string;
}

export interface EncoderSurroundings {
  /** Whether the stream's sink is there. */
  hasSink: boolean;
  rtmpPort: number;
  /** The file with the channel's name and key (lib/channel/media/publish.ts). */
  preset: string;
  /** The capture program's socket with the pictures; null where ffmpeg grabs the display. */
  pictures: string | null;
  /** Unix ms. */
  now: number;
}

/** The parts of the command line that differ between the two ways to pictures. */
interface Way {
  /** Options before the inputs. */
  global: string[];
  /** Options of the sound's input, with and without a sink. */
  sound: { sink: string[]; silence: string[] };
  input: string[];
  filter: string[];
  /** Options for the times of pictures and key frames. */
  timing: string[];
  /** Seconds that are added to all timestamps. */
  offset: number;
}

/** Captured pictures: their times, and the sound's, are the clock's. */
function captured({ stream }: StreamSpec, socket: string, now: number): Way {
  const keySeconds = gopFrames(stream) / stream.fps;
  const MILLISECOND = 0.001;
  // a grid: wherever the last key frame was, the next key frame is where a segment may begin
  const next = `(floor((prev_forced_t+${MILLISECOND})/${keySeconds})+1)*${keySeconds}`;
  return {
    global: ["-copyts"],
    sound: {
      // 100 ms: a shorter fragment wakes us more often, without a shorter delay
      sink: ["-fragment_size", "19200"],
      silence: ["-itsoffset", (now / 1000).toFixed(3)],
    },
    // no `-fflags nobuffer`: the first picture, from which the key frames are counted, would get lost
    input: ["-f", "matroska", "-i", `unix:${socket}`],
    filter: [],
    timing: [
      ...["-fps_mode", "passthrough", "-enc_time_base", "1:1000", "-g", "9999", "-keyint_min", "1"],
      ...["-sc_threshold", "0", "-force_key_frames"],
      `expr:if(isnan(prev_forced_t),1,gte(t+${MILLISECOND},${next}))`,
      // otherwise the buffer's size would be counted in pictures, which are few
      ...["-x264-params", "force-cfr=0"],
      // otherwise the sound would go on alone for ever when the pictures end
      "-shortest",
    ],
    offset: -Math.floor(Math.floor(now / 1000 / TIMESTAMP_PERIOD) * TIMESTAMP_PERIOD * 1000) / 1000,
  };
}

/** Grabbed pictures: all pictures, whether they differ or not. */
function grabbed({ stream, display }: StreamSpec, now: number): Way {
  const size = parseSize(stream.resolution);
  const output = parseSize(stream.scale);
  const gop = String(gopFrames(stream));
  const fps = String(stream.fps);
  return {
    global: [],
    sound: { sink: [], silence: [] },
    input: [
      ...["-f", "x11grab", "-draw_mouse", "0", "-framerate", fps],
      ...["-video_size", `${size.width}x${size.height}`, "-i", `:${display}.0`],
    ],
    filter: ["-vf", `scale=${output.width}:${output.height}:flags=bilinear:${COLOURS},format=yuv420p`],
    // equal timestamps make equal segments, and so a constant target duration
    timing: ["-fps_mode", "cfr", "-r", fps, "-g", gop, "-keyint_min", gop, "-sc_threshold", "0"],
    offset: firstTimestamp(now),
  };
}

/** The stream's sound, or silence: an audio track is always there, IPTV players need one. */
function audioInput(hasSink: boolean, { sink, silence }: Way["sound"]): string[] {
  if (!hasSink) return [...silence, "-f", "lavfi", "-i", "anullsrc=r=48000:cl=stereo"];
  return ["-thread_queue_size", "1024", ...sink, "-f", "pulse", "-i", `${SINK}.monitor`];
}

/**
 * ffmpeg's command line. The sound comes first: opened after the display it left the picture 0.5-1.5 s late
 * (docs/pipeline.md, "Input order").
 */
export function encoderCommand(
  spec: StreamSpec,
  { hasSink, rtmpPort, preset: publishPreset, pictures, now }: EncoderSurroundings,
): string[] {
  const { preset, tune, threads, bitrate, bufsize } = spec.stream;
  const way = pictures === null ? grabbed(spec, now) : captured(spec, pictures, now);
  return [
    "/usr/bin/ffmpeg",
    "-hide_banner",
    "-nostdin",
    "-nostats",
    "-loglevel",
    "warning",
    ...way.global,
    ...audioInput(hasSink, way.sound),
    ...["-thread_queue_size", "8", "-probesize", "32", "-analyzeduration", "0"],
    ...way.input,
    ...["-map", "1:v", "-map", "0:a"],
    ...way.filter,
    ...["-c:v", "libx264", "-preset", preset, ...(tune === "none" ? [] : ["-tune", tune])],
    ...["-threads", String(threads), "-profile:v", "main", "-bf", "0"],
    ...way.timing,
    ...["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"],
    ...["-b:v", bitrate, "-maxrate", bitrate, "-bufsize", bufsize],
    ...["-c:a", "aac", "-b:a", AUDIO_BITRATE, "-ar", "48000", "-ac", "2", "-af", "aresample=async=1000"],
    ...["-output_ts_offset", way.offset.toFixed(3)],
    ...["-flvflags", "no_duration_filesize", "-fpre", publishPreset],
    ...["-f", "flv", `rtmp://127.0.0.1:${rtmpPort}/${rtmpApplication(spec.stream)}`],
  ];
}
