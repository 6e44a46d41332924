import type { Wall } from "../../lib/model/wall/wall.ts";
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx";
import { channelsOfWall, type WallStream } from "./wallStreams.ts";

interface DeleteWallDialogProps {
  wall: Wall;
  streams: readonly WallStream[];
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

/** Asks before a wall is deleted, and names the effect on its screens and channels. */
export function DeleteWallDialog({ wall, streams, onConfirm, onClose }: DeleteWallDialogProps) {
  return (
    <ConfirmDialog
      id="delete-wall"
      title={`Delete “${wall.name}”?`}
      keep="Keep it"
      action="Delete"
      acting="Deleting…"
      failed="The wall was not deleted."
      onConfirm={onConfirm}
      onClose={onClose}
    >
      Screens that show it will say that it was deleted. {channelsOfWall(wall.id, streams).length > 0
        ? "Its channel will show nothing. Delete that stream, too."
        : "The streams on it stay as they are."}
    </ConfirmDialog>
  );
}
