import { useState } from "preact/hooks";
import type { PublicStream } from "../lib/streams/stream.ts";
import { problemOf } from "./api.ts";
import { closeDialog, Dialog } from "./Dialog.tsx";

interface DeleteDialogProps {
  stream: PublicStream;
  onDelete: (stream: PublicStream) => Promise<void>;
  onClose: () => void;
}

/** Asks before a stream is deleted. */
export function DeleteDialog({ stream, onDelete, onClose }: DeleteDialogProps) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");

  async function confirm(event: MouseEvent) {
    if (isBusy) return;
    const dialog = (event.currentTarget as Element).closest("dialog");
    setBusy(true);
    setProblem("");
    try {
      await onDelete(stream);
      dialog?.close();
    } catch (error) {
      setProblem(`It was not deleted. ${problemOf(error)}`);
      setBusy(false);
    }
  }

  return (
    <Dialog id="delete" title="Delete this stream?" onClose={onClose}>
      <div class="dialog-body">
        <p>
          <strong class="wrap">{stream.name}</strong>{" "}
          goes off air. Its settings and its browser profile, with any sign-in, are removed for good.
        </p>
        <p class="problem" role="alert">{problem}</p>
      </div>
      <div class="dialog-actions">
        <button type="button" autofocus onClick={closeDialog}>Keep it</button>
        <button type="button" class="danger" aria-disabled={isBusy} onClick={confirm}>
          {isBusy ? "Deleting…" : "Delete"}
        </button>
      </div>
    </Dialog>
  );
}
