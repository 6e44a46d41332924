import type { PublicStream } from "../../lib/streams/schema.ts";
import { BackupDialog } from "../backup/BackupDialog.tsx";
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx";
import type { PublicAddress } from "../playlist/playlistAddress.ts";
import { PlaylistDialog } from "../playlist/PlaylistDialog.tsx";
import { SettingsDialog } from "../prefs/SettingsDialog.tsx";
import type { Prefs } from "../prefs/usePrefs.ts";
import { AddressDialog } from "./AddressDialog.tsx";
import type { CardRequest } from "./CardMenu.tsx";
import type { Address } from "./cardLinks.ts";
import type { PageRequest } from "./PageMenu.tsx";

/** The dialog that is open. */
export type OpenDialog =
  | { what: "add" }
  | { what: CardRequest; stream: PublicStream }
  | { what: "address"; address: Address }
  | { what: PageRequest };

interface BoardDialogsProps {
  asked: OpenDialog;
  prefs: Prefs;
  publicAddress: PublicAddress;
  groups: string[];
  /** Goes on behind: the card shows how. */
  onRecreate: (stream: PublicStream) => void;
  onDelete: (stream: PublicStream) => Promise<void>;
  onImported: () => void;
  onClose: () => void;
}

/** The dialogs over the board; the forms are StreamDialogs'. */
export function BoardDialogs({ asked, prefs, publicAddress, groups, ...on }: BoardDialogsProps) {
  switch (asked.what) {
    case "recreate":
      return (
        <ConfirmDialog
          id="recreate"
          title="Recreate this stream?"
          keep="Keep it"
          action="Recreate"
          onConfirm={() => on.onRecreate(asked.stream)}
          onClose={on.onClose}
        >
          <strong class="wrap">{asked.stream.name}</strong>{" "}
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
          onConfirm={() => on.onDelete(asked.stream)}
          onClose={on.onClose}
        >
          <strong class="wrap">{asked.stream.name}</strong>{" "}
          goes off air. Its settings and its browser profile, with any sign-in, are removed for good.
        </ConfirmDialog>
      );
    case "address":
      return <AddressDialog address={asked.address} onClose={on.onClose} />;
    case "settings":
      return <SettingsDialog prefs={prefs} onClose={on.onClose} />;
    case "playlist":
      return <PlaylistDialog publicAddress={publicAddress} groups={groups} onClose={on.onClose} />;
    case "backup":
      return <BackupDialog onImported={on.onImported} onClose={on.onClose} />;
    default:
      return null;
  }
}
