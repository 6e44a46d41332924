import { useState } from "preact/hooks";
import { CopyField } from "../ui/CopyField.tsx";
import { closeDialog, Dialog } from "../ui/Dialog.tsx";
import {
  addressProblem,
  groupChoices,
  guideAddress,
  playlistAddress,
  type PublicAddress,
} from "./playlistAddress.ts";
import { PlaylistHelp } from "./PlaylistHelp.tsx";
import { QrCode } from "../ui/QrCode.tsx";

interface PlaylistDialogProps {
  publicAddress: PublicAddress;
  /** The groups in use. */
  groups: string[];
  onClose: () => void;
}

/** The way of the channels to TVs, phones and IPTV apps: one address, as text and as QR code. */
export function PlaylistDialog({ publicAddress, groups, onClose }: PlaylistDialogProps) {
  const [group, setGroup] = useState("");
  const [isRunning, setRunning] = useState(false);
  const { origin } = publicAddress;
  const address = playlistAddress(origin, { group, isRunning });
  const problem = addressProblem(publicAddress, location.origin);
  return (
    <Dialog id="playlist" title="Playlist for TVs and apps" onClose={onClose}>
      <div class="dialog-body">
        <CopyField
          id="playlist-address"
          label="Playlist address"
          text={address}
          autofocus
          hint="Paste it into the app, or scan it. Channels come in the order of the cards."
        />
        <div class="playlist">
          <QrCode text={address} label="QR code of the playlist's address" />
          <div class="playlist-fields">
            {groups.length > 0 && (
              <div class="field">
                <label for="playlist-group">Channels</label>
                <select
                  id="playlist-group"
                  value={group}
                  onChange={(event) => setGroup(event.currentTarget.value)}
                >
                  <option value="">All groups</option>
                  {groupChoices(groups).map((each) => <option key={each} value={each}>{each}</option>)}
                </select>
              </div>
            )}
            <div class="check">
              <label>
                <input
                  type="checkbox"
                  checked={isRunning}
                  onChange={(event) => setRunning(event.currentTarget.checked)}
                />
                Leave out stopped streams
              </label>
            </div>
          </div>
        </div>
        {problem && <p class="warning">{problem}</p>}
        <CopyField
          id="playlist-guide"
          label="Programme guide (XMLTV)"
          text={guideAddress(origin)}
          hint="Most apps find it by themselves; the playlist names it."
        />
        <PlaylistHelp />
      </div>
      <div class="dialog-actions">
        <button type="button" onClick={closeDialog}>Done</button>
      </div>
    </Dialog>
  );
}
