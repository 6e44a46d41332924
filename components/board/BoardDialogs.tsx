import { useRef } from "preact/hooks";
import { BackupDialog } from "../backup/BackupDialog.tsx";
import type { FormOptions } from "../form/formOptions.ts";
import { StreamFormDialog } from "../form/StreamFormDialog.tsx";
import { logOut } from "../login/logOut.ts";
import type { PublicAddress } from "../playlist/playlistAddress.ts";
import { PlaylistDialog } from "../playlist/PlaylistDialog.tsx";
import { SettingsDialog } from "../prefs/SettingsDialog.tsx";
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx";
import { AddressDialog } from "./AddressDialog.tsx";
import { useBoardContext } from "./BoardContext.ts";
import { CertificateDialog } from "./CertificateDialog.tsx";
import type { OpenDialog } from "./openDialog.ts";

interface BoardDialogsProps {
  dialog: OpenDialog | null;
  options: FormOptions;
  publicAddress: PublicAddress;
  /** `added` is the id of the stream that the dialog has added; `isRemoved`: the stream it was about is gone. */
  onClose: (outcome: { added?: string; isRemoved?: boolean }) => void;
}

/** The dialogs over the board, one at a time. */
export function BoardDialogs({ dialog, options, publicAddress, ...props }: BoardDialogsProps) {
  const { board, prefs } = useBoardContext();
  const added = useRef<string>();
  if (!dialog) return null;
  const { streams } = board.state.value;
  const onClose = () => {
    const isRemoved = "stream" in dialog &&
      !board.state.peek().streams.some(({ id }) => id === dialog.stream.id);
    props.onClose({ added: added.current, isRemoved });
    added.current = undefined;
  };
  switch (dialog.kind) {
    case "add":
    case "edit":
    case "duplicate":
      return (
        <StreamFormDialog
          key={`${dialog.kind} ${"stream" in dialog ? dialog.stream.id : ""}`}
          kind={dialog.kind}
          stream={"stream" in dialog ? dialog.stream : undefined}
          field={"field" in dialog ? dialog.field : undefined}
          streams={streams}
          options={options}
          onCreate={async (body) => added.current = await board.create(body)}
          onUpdate={board.update}
          onClose={onClose}
        />
      );
    case "certificate":
      return <CertificateDialog {...dialog} onClose={onClose} />;
    case "recreate":
      return (
        <ConfirmDialog
          id="recreate"
          title="Recreate this stream?"
          keep="Keep it"
          action="Recreate"
          // goes on behind: the card shows how
          onConfirm={() => void board.run(dialog.stream, "recreate")}
          onClose={onClose}
        >
          <strong class="wrap">{dialog.stream.name}</strong>{" "}
          gets a new browser profile: the page is signed out, and its cookies and stored data are removed for
          good. The settings stay. Viewers lose the picture for some seconds.
        </ConfirmDialog>
      );
    case "delete":
      return (
        <ConfirmDialog
          id="delete"
          title="Delete this stream?"
          keep="Keep it"
          action="Delete"
          acting="Deleting…"
          failed="It was not deleted."
          onConfirm={() => board.remove(dialog.stream)}
          onClose={onClose}
        >
          <strong class="wrap">{dialog.stream.name}</strong>{" "}
          goes off air. Its settings and its browser profile, with any sign-in, are removed for good.
        </ConfirmDialog>
      );
    case "logout":
      return (
        <ConfirmDialog
          id="logout"
          title="Log out everywhere?"
          keep="Stay logged in"
          action="Log out everywhere"
          onConfirm={() => logOut(true)}
          onClose={onClose}
        >
          Every browser, screen and player that was logged in has to log in again, this one too. Remote
          browser windows are closed. The streams go on.
        </ConfirmDialog>
      );
    case "address":
      return <AddressDialog address={dialog.address} onClose={onClose} />;
    case "settings":
      return <SettingsDialog prefs={prefs} onClose={onClose} />;
    case "playlist":
      return <PlaylistDialog publicAddress={publicAddress} streams={streams} onClose={onClose} />;
    case "backup":
      return <BackupDialog onImported={board.poll} onClose={onClose} />;
  }
}
