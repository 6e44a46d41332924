/** What a stream is doing right now, as the API tells it. */
import type { ProgramKind, ProgramState } from "./programs.ts";

export type StreamState = "stopped" | "starting" | "running" | "degraded" | "failed";

/** How far a recreation is; "failed" until something else is done with the stream. */
export type RecreateStep = "waiting" | "stopping" | "emptying the profile" | "starting" | "failed";

export interface Recreation {
  step: RecreateStep;
  /** Why it failed. */
  error?: string;
}

/** One stream's runtime state; `reason` says which program and its last log line. */
export interface StreamStatus {
  id: string;
  state: StreamState;
  reason?: string;
  /** The program that the reason is about. */
  program?: ProgramKind;
  /** Absent while the stream is not being recreated, and was not without success. */
  recreate?: Recreation;
  /** When the thumbnail was captured, Unix ms; absent while there is none. */
  thumbAt?: number;
  programs: { name: string; state: ProgramState; pid: number; uptime: number }[];
}
