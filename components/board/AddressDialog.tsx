import { closeDialog, Dialog } from "../ui/Dialog.tsx";
import type { Address } from "./cardLinks.ts";

interface AddressDialogProps {
  address: Address;
  onClose: () => void;
}

/** Shows an address to copy by hand, for browsers that do not let this page use the clipboard. */
export function AddressDialog({ address, onClose }: AddressDialogProps) {
  return (
    <Dialog id="address" title="Copy this address" onClose={onClose}>
      <div class="dialog-body">
        <div class="field">
          <label for="address-text">{address.label}</label>
          <input
            id="address-text"
            type="text"
            readOnly
            autofocus
            value={address.text}
            aria-describedby="address-hint"
            onFocus={(event) => event.currentTarget.select()}
          />
          <p class="hint" id="address-hint">
            This browser lets only https pages use the clipboard. The address is selected: copy it with Ctrl+C
            or ⌘C.
          </p>
        </div>
      </div>
      <div class="dialog-actions">
        <button type="button" class="primary" onClick={closeDialog}>Done</button>
      </div>
    </Dialog>
  );
}
