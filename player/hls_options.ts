/** hls.js as a live channel with segments of 1 s needs it (bench/latency.ts measures what they give). */
import type { HlsConfig } from "hls.js";

export const HLS_OPTIONS: Partial<HlsConfig> = {
  // segments behind the newest: one that is whole is a second old, and less stalls as soon as one comes late
  liveSyncDurationCount: 1.85,
  // seconds further behind after each stall, one target duration at most
  liveSyncOnStallIncrease: 0.25,
  liveMaxLatencyDurationCount: 6,
  maxLiveSyncPlaybackRate: 1.1,
  liveDurationInfinity: true,
  // seconds; a player that runs for months must not keep the segments that it has shown
  maxBufferLength: 10,
  maxMaxBufferLength: 20,
  backBufferLength: 5,
  // live.ts retries: it asks first whether the channel exists at all
  manifestLoadPolicy: {
    default: { maxTimeToFirstByteMs: 8000, maxLoadTimeMs: 10_000, timeoutRetry: null, errorRetry: null },
  },
};
