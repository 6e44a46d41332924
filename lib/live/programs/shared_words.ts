/** The names for people of the programs that all streams share. */
export const SHARED_WORDS = {
  media: "media server",
  "vnc-proxy": "VNC proxy",
  capture: "capture program",
  front: "front door",
} as const;

export type SharedName = keyof typeof SHARED_WORDS;

export const SHARED_NAMES = Object.keys(SHARED_WORDS) as SharedName[];
