/** A live stream, as the keepers of its programs and its page know it. */
import type { EventKind, EventLevel } from "../model/answers/events.ts";
import type { StreamId } from "../model/id.ts";
import type { Stream } from "../model/schema.ts";
import type { Channel } from "../channel/channel.ts";
import type { LoginReports } from "../signin/reports.ts";
import type { PlanClock } from "./plan_clock.ts";
import type { StartedSpec } from "./programs/pipeline.ts";
import type { Recording } from "./recording.ts";
import type { StreamWork } from "./work.ts";

export interface KeptStream {
  readonly id: StreamId;
  /** The stream as it is stored; undefined: it was removed. */
  readonly stream: Stream | undefined;
  /** The settings that the programs were started with; null: they are stopped. */
  readonly spec: StartedSpec | null;
  /** Whether something is being done with the stream right now. */
  readonly isBusy: boolean;
  /** Starts, stops and changes the stream. */
  readonly work: Pick<StreamWork, "operations" | "restartPrograms" | "command" | "restartAll" | "recreate">;
  /** The channel as viewers get it. */
  readonly channel: { readonly ageMs: Channel["ageMs"]; readonly slate: Pick<Channel["slate"], "shown"> };
  /** The clock of the weekly plan. */
  readonly plan: PlanClock;
  /** The reports of the stream's sign-in helper. */
  readonly logins: LoginReports;
  /** What is kept of its past. */
  readonly recording: Pick<Recording, "hold">;
  /** How many people are in the stream's browser by VNC. */
  readonly viewers: number;
  /** Adds to the stream's events. */
  tell(kind: EventKind, text: string, level?: EventLevel): void;
}
