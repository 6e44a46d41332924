/** The present state of a stream, as the API shows it. */

/**
 * "waiting": wanted, but only for viewers, and there are none. "planned": wanted, but off the air by the weekly plan.
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

/** Whether no program of the stream runs, as the settings want it. */
export function isAtRest(state: StreamState): state is "stopped" | "waiting" | "planned" {
  return state === "stopped" || state === "waiting" || state === "planned";
}

/** Whether the stream has come so far that viewers get its pictures, unless something is wrong. */
export function hasPictures(state: StreamState): boolean {
  return !isAtRest(state) && state !== "starting";
}

/** The steps of a recreation; "failed" stays until the next action on the stream. */
export const RECREATE_STEPS = ["waiting", "stopping", "emptying the profile", "starting", "failed"] as const;
