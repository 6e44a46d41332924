import type { Channel } from "./channel.ts";
import type { Gap } from "./past.ts";

/** How long the clock of a wall waits for a channel that has something, and is not ready. */
export const MOST_WAIT_MS = 4000;

/** Channels that play together from a moment on. Moments are Unix times in s. */
export interface RunParts {
  channels: readonly Channel[];
  start: number;
  end: number;
  speed: number;
  /** What no channel has anything of, at a moment. */
  gapAt: (at: number) => Gap | undefined;
  /** The moment that all of them show. */
  onmoment: (at: number) => void;
  onend: () => void;
  onfail: (problem: string) => void;
}

export interface Run {
  stop(): void;
}
