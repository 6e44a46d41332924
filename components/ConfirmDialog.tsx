import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { problemOf } from "./api.ts";
import { closeDialog, Dialog } from "./Dialog.tsx";

interface ConfirmDialogProps {
  id: string;
  /** The question. */
  title: string;
  /** What happens, naming what it happens to. */
  children: ComponentChildren;
  /** The button that keeps everything as it is. */
  keep: string;
  action: string;
  /** The action's button while it is under way. */
  acting: string;
  /** Before the message of an error. */
  failed: string;
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { id, title, children, keep, action, acting, failed, onConfirm, onClose } = props;
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");

  async function confirm(event: MouseEvent) {
    if (isBusy) return;
    const dialog = (event.currentTarget as Element).closest("dialog");
    setBusy(true);
    setProblem("");
    try {
      await onConfirm();
      dialog?.close();
    } catch (error) {
      setProblem(`${failed} ${problemOf(error)}`);
      setBusy(false);
    }
  }

  return (
    <Dialog id={id} title={title} onClose={onClose}>
      <div class="dialog-body">
        <p>{children}</p>
        <p class="problem" role="alert">{problem}</p>
      </div>
      <div class="dialog-actions">
        <button type="button" autofocus onClick={closeDialog}>{keep}</button>
        <button type="button" class="danger" aria-disabled={isBusy} onClick={confirm}>
          {isBusy ? acting : action}
        </button>
      </div>
    </Dialog>
  );
}
