import type { PublicStream } from "../../lib/model/schema.ts";
import { groupsOf } from "../form/suggestions.ts";
import { closeDialog, Dialog } from "../ui/Dialog.tsx";
import { mayDo } from "../client/mayDo.ts";
import { AccessPanel } from "./AccessPanel.tsx";
import { ChannelNumbers } from "./ChannelNumbers.tsx";
import { OpenAddress } from "./OpenAddress.tsx";
import { addressProblem, groupChoices, type PublicAddress } from "./playlistAddress.ts";
import { PlaylistHelp } from "./PlaylistHelp.tsx";

interface PlaylistDialogProps {
  publicAddress: PublicAddress;
  streams: readonly PublicStream[];
  onRenumber: () => Promise<void>;
  onClose: () => void;
}

/** The playlist's addresses for TVs, phones and IPTV apps: as text and as QR code. */
export function PlaylistDialog({ publicAddress, streams, onRenumber, onClose }: PlaylistDialogProps) {
  const { origin, needsToken } = publicAddress;
  const groups = groupChoices(groupsOf(streams));
  const problem = addressProblem(publicAddress, location.origin);
  const warning = problem && <p class="warning">{problem}</p>;
  const access = mayDo("admin") ? <AccessPanel streams={streams} groups={groups} /> : null;
  return (
    <Dialog id="playlist" title="Playlist for TVs and apps" onClose={onClose}>
      <div class="dialog-body">
        {needsToken
          ? (
            <section class="access" data-least="admin" aria-labelledby="access-title">
              <h3 id="access-title">Access for apps</h3>
              <p>
                Apps cannot use the login page. Make an address for each app: it can only play, and you can
                revoke it here.
              </p>
              {warning}
              {access}
            </section>
          )
          : (
            <>
              <OpenAddress origin={origin} groups={groups} warning={warning} />
              <details>
                <summary>Access for apps</summary>
                <div class="details-body access">
                  <p class="hint">
                    Everyone on your network can use the address above. An address with an access token is for
                    one app: it can only play, it still works after you set up a login, and you can revoke it
                    here.
                  </p>
                  {access}
                </div>
              </details>
            </>
          )}
        {mayDo("operator") && streams.length > 0 && (
          <ChannelNumbers streams={streams} onRenumber={onRenumber} />
        )}
        <PlaylistHelp />
      </div>
      <div class="dialog-actions">
        <button type="button" onClick={closeDialog}>Done</button>
      </div>
    </Dialog>
  );
}
