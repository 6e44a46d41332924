import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";
import type { StreamState } from "../../../lib/model/answers/status.ts";
import type { PublicStream } from "../../../lib/model/schema.ts";

/** The command of the button beside Play and VNC: a stream that its plan keeps off the air can be started. */
export function toggleOf(state: StreamState): "start" | "stop" {
  return state === "stopped" || state === "planned" ? "start" : "stop";
}

/** Whether a stop or a start of the stream needs an answer for how long: its plan would end it. */
export function asksPlan({ plan, desiredState }: PublicStream, { state, nextTimeAt }: StreamStatus): boolean {
  return state === "planned" || plan !== "" && desiredState === "running" && nextTimeAt !== undefined;
}
