import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";
import type { OverrideTime } from "../../../lib/model/plan/stop_until.ts";
import type { PublicStream } from "../../../lib/model/schema.ts";
import type { Command } from "../../client/api.ts";
import { serverNow } from "../../client/serverClock.ts";
import { closeDialog, Dialog } from "../../ui/Dialog.tsx";
import { returnText } from "./returnText.ts";

interface PlanDialogProps {
  stream: PublicStream;
  status: StreamStatus;
  onChoose: (command: Command, time?: OverrideTime) => void;
  onClose: () => void;
}

/** Asks until when a planned stream is to be stopped, or on the air. */
export function PlanDialog({ stream, status, onChoose, onClose }: PlanDialogProps) {
  const isOff = status.state === "planned";
  const next = status.nextTimeAt === undefined ? null : returnText(status.nextTimeAt, serverNow());
  const choice = (words: string, hint: string, command: Command, time?: OverrideTime, isFirst?: true) => (
    <button
      type="button"
      class={isFirst && "primary"}
      autofocus={isFirst}
      onClick={(event) => {
        event.currentTarget.closest("dialog")!.close();
        onChoose(command, time);
      }}
    >
      {words}
      <span>{hint}</span>
    </button>
  );
  const off = choice("Turn the plan off", "The stream stays stopped until somebody starts it.", "stop");
  return (
    <Dialog
      id="plan"
      title={isOff ? `Put “${stream.name}” on the air?` : `Stop “${stream.name}” until when?`}
      onClose={onClose}
    >
      <div class="dialog-body plan-choices">
        {isOff
          ? (
            <>
              <p>
                The plan keeps the stream off the air{next && ` until ${next}`}. After the time that you
                choose, the stream follows its plan again.
              </p>
              {choice("On air now for 1 h", "", "start", 60, true)}
              {choice("On air now for 15 min", "", "start", 15)}
              {next && choice("On air now until the next time", next, "start", "next")}
              {off}
            </>
          )
          : (
            <>
              {choice("Until the next time", next ?? "", "stop", "next", true)}
              {off}
            </>
          )}
      </div>
      <div class="dialog-actions">
        <button type="button" class="quiet aside" onClick={closeDialog}>Cancel</button>
      </div>
    </Dialog>
  );
}
