/** What a stream is doing right now, as the API tells it. */
import type { PageHealth, Trouble } from "./page_health.ts";
import type { ProgramKind, ProgramState } from "../programs.ts";

/**
 * "waiting": wanted, but only while somebody watches, and nobody does. "planned": wanted, but off the air by its weekly
 * plan.
 */
export const STREAM_STATES = [
  "stopped",
  "waiting",
  "planned",
  "starting",
  "running",
  "degraded",
  "failed",
] as const;

export type StreamState = typeof STREAM_STATES[number];

/** Whether nothing of the stream runs, as its settings want it. */
export function isAtRest(state: StreamState): state is "stopped" | "waiting" | "planned" {
  return state === "stopped" || state === "waiting" || state === "planned";
}

/** How far a recreation is; "failed" until something else is done with the stream. */
export type RecreateStep = "waiting" | "stopping" | "emptying the profile" | "starting" | "failed";

export interface Recreation {
  step: RecreateStep;
  /** Why it failed. */
  error?: string;
}

/** One stream's runtime state; `reason` is a sentence for people. */
export interface StreamStatus {
  id: string;
  state: StreamState;
  reason?: string;
  /** The program that the reason is about. */
  program?: ProgramKind;
  /** When its plan puts it on the air again, Unix ms; absent unless it is "planned", and where that is never. */
  returnsAt?: number;
  /** Absent while the stream is not being recreated, and was not without success. */
  recreate?: Recreation;
  /** The row of page_health.ts that the reason is about. */
  trouble?: Trouble;
  /** How the page is; absent while the stream does not run. */
  page?: PageHealth;
  /** When the thumbnail was captured, Unix ms; absent while there is none. */
  thumbAt?: number;
  programs: { name: string; state: ProgramState; pid: number; uptime: number }[];
}
