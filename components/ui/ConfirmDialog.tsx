import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { problemOf } from "../client/api.ts";
import { closeDialog, Dialog } from "./Dialog.tsx";

interface ConfirmDialogProps {
  id: string;
  /** The question. */
  title: string;
  /** What happens, naming what it happens to. */
  children: ComponentChildren;
  /** What it is about, below the words. */
  details?: ComponentChildren;
  /** The button that keeps everything as it is. */
  keep: string;
  action: string;
  /** The action's button while it is under way. */
  acting?: string;
  /** Before the message of an error. */
  failed?: string;
  /** The dialog stays until it is done; what returns nothing goes on behind. */
  onConfirm: () => Promise<void> | void;
  onClose: () => void;
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { id, title, children, details, keep, action, acting, failed, onConfirm, onClose } = props;
  const [isBusy, setBusy] = useState(false);
  /** As `isBusy`, but known before the next rendering. */
  const isActing = useRef(false);
  const [problem, setProblem] = useState("");

  async function confirm(event: MouseEvent) {
    if (isActing.current) return;
    const dialog = (event.currentTarget as Element).closest("dialog");
    isActing.current = true;
    setBusy(true);
    setProblem("");
    try {
      await onConfirm();
      isActing.current = false;
      dialog?.close();
    } catch (error) {
      isActing.current = false;
      setProblem(`${failed ?? ""} ${problemOf(error)}`);
      setBusy(false);
    }
  }

  return (
    <Dialog id={id} title={title} mayClose={() => !isActing.current} onClose={onClose}>
      <div class="dialog-body">
        <p>{children}</p>
        {details}
        <p class="problem" role="alert">{problem}</p>
      </div>
      <div class="dialog-actions">
        <button type="button" autofocus aria-disabled={isBusy} onClick={closeDialog}>{keep}</button>
        <button type="button" class="danger" aria-disabled={isBusy} onClick={confirm}>
          {isBusy && acting || action}
        </button>
      </div>
    </Dialog>
  );
}
