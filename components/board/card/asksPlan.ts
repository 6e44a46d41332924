import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";
import type { PublicStream } from "../../../lib/model/schema.ts";

/** Whether a stop or a start of the stream needs an answer for how long: its plan would end it. */
export function asksPlan({ plan, desiredState }: PublicStream, { state, nextTimeAt }: StreamStatus): boolean {
  return state === "planned" || plan !== "" && desiredState === "running" && nextTimeAt !== undefined;
}
