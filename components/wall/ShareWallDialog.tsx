import { useState } from "preact/hooks";
import type { Wall } from "../../lib/model/wall/wall.ts";
import { api, problemOf } from "../client/api.ts";
import { mayDo } from "../client/mayDo.ts";
import { addressProblem, type PublicAddress } from "../playlist/playlistAddress.ts";
import { CopyField } from "../ui/CopyField.tsx";
import { closeDialog, Dialog } from "../ui/Dialog.tsx";
import { QrCode } from "../ui/QrCode.tsx";
import { accessOfWall, baseOfAccess, wallPage } from "./wallStreams.ts";

interface ShareWallDialogProps {
  wall: Wall;
  publicAddress: PublicAddress;
  onClose: () => void;
}

/** The address of a wall for a screen, as text and as QR code; with a login, one that needs none. */
export function ShareWallDialog({ wall, publicAddress, onClose }: ShareWallDialogProps) {
  /** The beginning of the address for a screen that cannot log in; "": none was made. */
  const [base, setBase] = useState("");
  const access = accessOfWall(wall);
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const origin = publicAddress.isSet ? publicAddress.origin : location.origin;
  const url = (base || origin) + wallPage(wall.id);
  const warning = addressProblem({ origin, isSet: publicAddress.isSet }, location.origin);

  const isPossible = mayDo("admin") && access !== null;
  const advice = !mayDo("admin")
    ? "An admin can make one here."
    : access
    ? "You can revoke it under “Playlist” on the first page."
    : "Put streams on the wall first.";

  async function make() {
    if (isBusy) return;
    setBusy(true);
    setProblem("");
    try {
      setBase(baseOfAccess(await api.createAccessToken(access)));
    } catch (error) {
      setProblem(`No address was made. ${problemOf(error)}`);
    }
    setBusy(false);
  }

  return (
    <Dialog id="share" title={`Share “${wall.name}”`} onClose={onClose}>
      <div class="dialog-body">
        <CopyField
          // a new field, whose "Copied" is about the new address
          key={base}
          id="wall-address"
          label={base ? "Address without a login" : "Address"}
          text={url}
          hint={base
            ? "This address is not shown again. Anyone who has it can watch what is on the wall today."
            : "Open it on a TV, a kiosk or a phone that has a browser."}
          autofocus
        />
        <div class="share-code">
          <QrCode text={url} label={`QR code: ${wall.name}`} />
          <div class="share-notes">
            {warning && <p class="warning">{warning}</p>}
            {publicAddress.needsToken && !base && (
              <>
                <p class="hint">
                  This address asks for the login. A TV that cannot log in needs an address of its own, which
                  only plays. {advice}
                </p>
                {isPossible && (
                  <button type="button" aria-disabled={isBusy} onClick={make}>
                    {isBusy ? "Making it…" : "Make an address for a TV"}
                  </button>
                )}
              </>
            )}
            <p class="problem" role="alert">{problem}</p>
          </div>
        </div>
      </div>
      <div class="dialog-actions">
        <button type="button" onClick={closeDialog}>Done</button>
      </div>
    </Dialog>
  );
}
