import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { CopyField } from "../ui/CopyField.tsx";
import { QrCode } from "../ui/QrCode.tsx";
import { MediaServerFields } from "./MediaServerFields.tsx";
import { guideAddress, playlistAddress, tunerAddress } from "./playlistAddress.ts";

interface OpenAddressProps {
  origin: string;
  /** The groups of the choice. */
  groups: string[];
  warning: ComponentChildren;
}

/** The service's own addresses for apps, which need no token while there is no login. */
export function OpenAddress({ origin, groups, warning }: OpenAddressProps) {
  const [group, setGroup] = useState("");
  const [isRunning, setRunning] = useState(false);
  const address = playlistAddress(origin, { group, isRunning });
  return (
    <>
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
                {groups.map((each) => <option key={each} value={each}>{each}</option>)}
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
              Without stopped streams
            </label>
          </div>
        </div>
      </div>
      {warning}
      <MediaServerFields
        id="playlist"
        tuner={tunerAddress(origin)}
        guide={guideAddress(origin)}
        playlist={address}
      />
    </>
  );
}
