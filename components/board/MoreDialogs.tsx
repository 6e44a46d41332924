import { BackupDialog } from "../backup/BackupDialog.tsx";
import type { PublicAddress } from "../playlist/playlistAddress.ts";
import { PlaylistDialog } from "../playlist/PlaylistDialog.tsx";
import { SettingsDialog } from "../prefs/SettingsDialog.tsx";
import { ShareDialog } from "../share/ShareDialog.tsx";
import { useBoardContext } from "./BoardContext.ts";
import { statusOf } from "./boardState.ts";
import { CertificateDialog } from "./card/CertificateDialog.tsx";
import { PlanDialog } from "./card/PlanDialog.tsx";
import type { MoreDialog } from "./openDialog.ts";

export interface MoreDialogProps {
  dialog: MoreDialog;
  publicAddress: PublicAddress;
  rtmpPort: number | null;
  onClose: () => void;
}

/** The dialogs that a board does not need at once. */
export function MoreDialogs({ dialog, publicAddress, rtmpPort, onClose }: MoreDialogProps) {
  const { board, prefs, openDialog } = useBoardContext();
  switch (dialog.kind) {
    case "settings":
      return <SettingsDialog prefs={prefs} onClose={onClose} />;
    case "playlist":
      return (
        <PlaylistDialog
          publicAddress={publicAddress}
          streams={board.state.value.streams}
          onRenumber={board.renumber}
          onClose={onClose}
        />
      );
    case "backup":
      return <BackupDialog onImported={board.poll} onClose={onClose} />;
    case "certificate":
      return <CertificateDialog {...dialog} onClose={onClose} />;
    case "plan":
      return (
        <PlanDialog
          stream={dialog.stream}
          status={statusOf(dialog.stream, board.state.value.statuses)}
          onChoose={(command, time) => void board.run(dialog.stream, command, false, time)}
          onClose={onClose}
        />
      );
    case "share":
      return (
        <ShareDialog
          stream={dialog.stream}
          publicAddress={publicAddress}
          rtmpPort={rtmpPort}
          prefs={prefs}
          onPlaylist={() => openDialog({ kind: "playlist" })}
          onClose={onClose}
        />
      );
  }
}
