/** The length of a channel's segments: from keyframe to keyframe, a second or more. Pure. */
import type { StreamFields } from "./schema.ts";

type Settings = Pick<StreamFields, "gop" | "fps">;

/** The most seconds of keyframe intervals, and so of target durations. */
const LONGEST_TARGET_SECONDS = 4;

/** Frames between keyframes: one second unless set; four seconds at most. */
export function gopFrames(stream: Settings): number {
  return Math.min(stream.gop || stream.fps, stream.fps * LONGEST_TARGET_SECONDS);
}

/** All possible target durations, in seconds. */
export const TARGETS: readonly number[] = Array.from({ length: LONGEST_TARGET_SECONDS }, (_, at) => at + 1);

/**
 * A channel's target duration in seconds, rounded as the media server does. It must never change while the channel is on
 * (RFC 8216 section 6.2.1).
 */
export function targetDuration(stream: Settings): number {
  const gopSeconds = gopFrames(stream) / stream.fps;
  const segment = Math.ceil(1 / gopSeconds - 1e-6) * gopSeconds;
  return Math.min(LONGEST_TARGET_SECONDS, Math.max(1, Math.floor(segment + 0.5)));
}

/**
 * The most milliseconds of a segment with this target duration: one more would raise the duration. A longer segment
 * has been cut off from its sound: the media server ends no segment while it waits for sound.
 */
export function longestSegmentMs(target: number): number {
  return target * 1000 + 499;
}

/** The media server's application that the channel is published to: one for each target duration. */
export function rtmpApplication(stream: Settings): string {
  return applicationOf(targetDuration(stream));
}

export function applicationOf(target: number): string {
  return target === 1 ? "live" : `live-${target}`;
}

/** The newest media sequence number of a playlist (RFC 8216, section 4.3.3.2); -1 without segments. */
export function lastSequence(playlist: string): number {
  const segments = playlist.split("#EXTINF:").length - 1;
  if (segments === 0) return -1;
  const first = /#EXT-X-MEDIA-SEQUENCE:(\d+)/.exec(playlist);
  return (first ? Number(first[1]) : 0) + segments - 1;
}

/** Where media sequences begin to count seconds, Unix ms. */
export const SEQUENCE_EPOCH = Date.UTC(2025, 0, 1);

/**
 * Where the media sequence of a channel without a playlist starts, so that it never goes back: the media server
 * takes its numbering from an existing playlist and cleans that up when an encoder is away for long. Segments last a
 * second or more, so the Unix time is never behind the numbers that were used before.
 */
export function firstSequence(now: number): number {
  return Math.max(1, Math.floor((now - SEQUENCE_EPOCH) / 1000));
}
