/** A live stream, as the keepers of its programs and its page know it. */
import type { EventKind, EventLevel } from "../model/answers/events.ts";
import type { StreamId } from "../model/id.ts";
import type { Stream } from "../model/schema.ts";
import type { StartedSpec } from "./programs/pipeline.ts";
import type { StreamWork } from "./work.ts";

export interface KeptStream {
  readonly id: StreamId;
  /** As it is stored; undefined when it was removed. */
  readonly stream: Stream | undefined;
  /** What its programs were started with; null while they are stopped. */
  readonly spec: StartedSpec | null;
  /** Whether something is being done with the stream right now. */
  readonly isBusy: boolean;
  /** Starts, stops and changes it. */
  readonly work: Pick<StreamWork, "operations" | "restartPrograms" | "command" | "restartAll" | "recreate">;
  /** How many people are in its browser by VNC. */
  readonly viewers: number;
  /** Adds to its events. */
  tell(kind: EventKind, text: string, level?: EventLevel): void;
}
