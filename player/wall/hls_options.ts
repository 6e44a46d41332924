/** hls.js as one of many players of a page needs it: little memory, and no haste to be at the newest picture. */
import type { HlsConfig } from "hls.js";
import { HLS_OPTIONS } from "../hls_options.ts";

export const WALL_HLS_OPTIONS: Partial<HlsConfig> = {
  ...HLS_OPTIONS,
  // a segment more than the player of one channel has: many players share the line, and nobody operates them
  liveSyncDurationCount: 3,
  // seconds
  maxBufferLength: 4,
  maxMaxBufferLength: 6,
  backBufferLength: 0,
  // a thread for each of 36 players costs more than its work
  enableWorker: false,
  capLevelToPlayerSize: true,
};
