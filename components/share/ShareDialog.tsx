import { useState } from "preact/hooks";
import type { PublicStream } from "../../lib/model/schema.ts";
import { addressProblem, type PublicAddress } from "../playlist/playlistAddress.ts";
import type { Prefs } from "../prefs/usePrefs.ts";
import { CopyField } from "../ui/CopyField.tsx";
import { closeDialog, Dialog } from "../ui/Dialog.tsx";
import { Icon } from "../ui/Icon.tsx";
import { QrCode } from "../ui/QrCode.tsx";
import { Segments } from "../ui/Segments.tsx";
import { CardButtons } from "./CardButtons.tsx";
import { shareAddresses, type ShareKind } from "./shareAddresses.ts";

export interface ShareDialogProps {
  stream: PublicStream;
  publicAddress: PublicAddress;
  rtmpPort: number | null;
  prefs: Prefs;
  onPlaylist: () => void;
  onClose: () => void;
}

/** The addresses of a stream, to copy and to scan, and the settings of its card's buttons. */
export function ShareDialog(props: ShareDialogProps) {
  const { stream, publicAddress, rtmpPort, prefs, onPlaylist, onClose } = props;
  const [kind, setKind] = useState<ShareKind>("player");
  const origin = publicAddress.isSet ? publicAddress.origin : location.origin;
  const addresses = shareAddresses(stream, origin, rtmpPort);
  const { label, hint, url, isPage } = addresses[kind]!;
  const isOwn = kind !== "page" && kind !== "rtmp";
  const warning = isOwn ? addressProblem({ origin, isSet: publicAddress.isSet }, location.origin) : "";
  const labels = Object.fromEntries(Object.entries(addresses).map(([each, { label }]) => [each, label]));
  return (
    <Dialog id="share" title={`Share “${stream.name}”`} onClose={onClose}>
      <div class="dialog-body">
        <Segments
          class="share-kinds"
          name="share-kind"
          label="What for?"
          options={labels as Record<ShareKind, string>}
          value={kind}
          onChange={setKind}
        />
        <CopyField id="share-address" label={label} text={url} hint={hint} autofocus />
        <div class="share-code">
          <QrCode text={url} label={`QR code: ${label}`} />
          <div class="share-notes">
            {isPage && (
              <a class="button" href={url} target="_blank" rel="noopener noreferrer">
                <Icon name="external" />Open
              </a>
            )}
            {warning && <p class="warning">{warning}</p>}
            {publicAddress.needsToken && isOwn && (
              <p class="hint">
                This address asks for the login. A TV or an app that cannot log in needs its own address:{" "}
                <button type="button" class="link" onClick={onPlaylist}>Playlist</button>.
              </p>
            )}
          </div>
        </div>
        <CardButtons id={stream.id} prefs={prefs} />
      </div>
      <div class="dialog-actions">
        <button type="button" onClick={closeDialog}>Done</button>
      </div>
    </Dialog>
  );
}
