import type { Wall } from "../../lib/model/wall/wall.ts";
import type { PublicAddress } from "../playlist/playlistAddress.ts";
import { lazy } from "../ui/lazy.tsx";
import { DeleteWallDialog } from "./DeleteWallDialog.tsx";
import { MakeChannelDialog } from "./MakeChannelDialog.tsx";
import type { useWalls } from "./useWalls.ts";

const ShareWallDialog = lazy(async () => (await import("./ShareWallDialog.tsx")).ShareWallDialog);

/** The dialog about a wall that is open. */
export interface WallDialog {
  kind: "share" | "channel" | "delete";
  wall: Wall;
}

interface WallDialogsProps extends WallDialog {
  all: ReturnType<typeof useWalls>;
  publicAddress: PublicAddress;
  onClose: () => void;
}

/** Shares a wall, makes it a channel or deletes it. */
export function WallDialogs({ kind, wall, all, publicAddress, onClose }: WallDialogsProps) {
  switch (kind) {
    case "share":
      return (
        <ShareWallDialog
          wall={wall}
          publicAddress={publicAddress}
          onClose={onClose}
          onFail={(message) => {
            all.setProblem(message);
            onClose();
          }}
        />
      );
    case "channel":
      return <MakeChannelDialog wall={wall} onConfirm={() => all.makeChannel(wall)} onClose={onClose} />;
    case "delete":
      return (
        <DeleteWallDialog
          wall={wall}
          streams={all.streams}
          onConfirm={() => all.remove(wall)}
          onClose={onClose}
        />
      );
  }
}
