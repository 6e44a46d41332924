import type { ComponentChildren } from "preact";
import { closeDialog, Dialog } from "./Dialog.tsx";
import { useConfirm } from "./useConfirm.ts";

interface ConfirmDialogProps {
  id: string;
  /** The question itself. */
  title: string;
  /** The text of the question, which names its subject. */
  children: ComponentChildren;
  /** Details of the subject, below the text. */
  details?: ComponentChildren;
  /** The button that keeps everything as it is. */
  keep: string;
  action: string;
  /** Nothing is lost by the action. */
  isSafe?: true;
  /** The words of the action's button while the action is under way. */
  acting?: string;
  /** The words before an error's message. */
  failed?: string;
  /** The dialog stays until the promise is settled; an action without a promise goes on behind. */
  onConfirm: () => Promise<void> | void;
  onClose: () => void;
}

/** Asks before an action that cannot be undone. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { id, title, children, details, keep, action, acting, isSafe, failed, onConfirm, onClose } = props;
  const { isBusy, isActing, problem, confirm } = useConfirm(onConfirm, failed);

  function act(event: MouseEvent) {
    const dialog = (event.currentTarget as Element).closest("dialog");
    confirm(() => dialog?.close());
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
        <button type="button" class={isSafe ? "primary" : "danger"} aria-disabled={isBusy} onClick={act}>
          {isBusy && acting || action}
        </button>
      </div>
    </Dialog>
  );
}
