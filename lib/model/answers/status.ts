/** What a stream is doing right now, as the API tells it. */

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
export const RECREATE_STEPS = ["waiting", "stopping", "emptying the profile", "starting", "failed"] as const;
