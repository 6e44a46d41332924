import type { Wall } from "../../lib/model/wall/wall.ts";
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx";
import { channelCost } from "./wallStreams.ts";

interface MakeChannelDialogProps {
  wall: Wall;
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

/** Asks before a wall becomes a stream, and says what that costs. */
export function MakeChannelDialog({ wall, onConfirm, onClose }: MakeChannelDialogProps) {
  return (
    <ConfirmDialog
      id="make-channel"
      title={`Make “${wall.name}” a channel?`}
      keep="Cancel"
      action="Make it a channel"
      acting="Making it a channel…"
      isSafe
      onConfirm={onConfirm}
      onClose={onClose}
    >
      The wall becomes one more stream, without sound, for TVs and apps that play one feed.{" "}
      {channelCost(wall)} A screen with a browser of its own shows the wall without this cost: see “Share”.
    </ConfirmDialog>
  );
}
