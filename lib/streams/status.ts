/** What a stream is doing right now, as the API tells it. */
import type { ProgramKind, ProgramState } from "./programs.ts";

export type StreamState = "stopped" | "starting" | "running" | "degraded" | "failed";

/** One stream's runtime state; `reason` says which program and its last log line. */
export interface StreamStatus {
  id: string;
  state: StreamState;
  reason?: string;
  /** The program that the reason is about. */
  program?: ProgramKind;
  /** When the thumbnail was captured, Unix ms; absent while there is none. */
  thumbAt?: number;
  programs: { name: string; state: ProgramState; pid: number; uptime: number }[];
}
