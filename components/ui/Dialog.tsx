import type { ComponentChildren, RefObject } from "preact";
import { useContext, useLayoutEffect, useRef } from "preact/hooks";
import { CurrentConnection } from "../client/connection.ts";
import { Icon } from "./Icon.tsx";
import { ConnectionProblem } from "./Toasts.tsx";

interface DialogProps {
  id: string;
  title: string;
  children: ComponentChildren;
  /** Given for a dialog that stays in the page and is opened by its owner; absent: the dialog opens as it appears. */
  dialogRef?: RefObject<HTMLDialogElement>;
  /** Called before the dialog closes by Escape, a click beside it or `closeDialog`; false keeps the dialog open. */
  mayClose?: () => boolean;
  onClose?: () => void;
}

/** A native modal dialog: the browser keeps the focus inside, closes it on Escape and gives the focus back. */
export function Dialog({ id, title, children, dialogRef, mayClose, onClose }: DialogProps) {
  const own = useRef<HTMLDialogElement>(null);
  const connection = useContext(CurrentConnection);
  useLayoutEffect(() => {
    if (!dialogRef) own.current!.showModal();
  }, []);

  function cancel(event: Event) {
    if (mayClose && isOwn(event) && !mayClose()) event.preventDefault();
  }

  // Browsers let a second Escape through, whatever `cancel` says.
  function keyDown(event: KeyboardEvent) {
    if (!mayClose || event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    closeDialog(event);
  }

  // A phone's back gesture may also close the dialog: the dialog then opens again, with the question above it.
  function close(event: Event) {
    if (!isOwn(event)) return;
    if (mayClose && !mayClose()) (event.currentTarget as HTMLDialogElement).showModal();
    else onClose?.();
  }

  return (
    <dialog
      id={id}
      ref={dialogRef ?? own}
      aria-labelledby={`${id}-title`}
      onCancel={cancel}
      onKeyDown={keyDown}
      onMouseDown={mayClose && closeFromBeside}
      onClose={close}
    >
      <div class="dialog-head">
        <h2 id={`${id}-title`}>{title}</h2>
        <button type="button" class="quiet square" title="Close" onClick={closeDialog}>
          <Icon name="close" />
          <span class="hidden">Close</span>
        </button>
      </div>
      <div role="status">
        <ConnectionProblem connection={connection} isInDialog />
      </div>
      {children}
    </dialog>
  );
}

/** Closes the dialog around the control that was used, unless its `mayClose` says no. */
export function closeDialog(event: Event): void {
  const dialog = (event.currentTarget as Element).closest("dialog");
  if (dialog?.dispatchEvent(new Event("cancel", { cancelable: true }))) dialog.close();
}

const isOwn = (event: Event) => event.target === event.currentTarget;

/** The backdrop is the dialog's own, outside its box. */
function closeFromBeside(event: MouseEvent) {
  const { left, right, top, bottom } = (event.currentTarget as Element).getBoundingClientRect();
  const { clientX: x, clientY: y, button } = event;
  if (!isOwn(event) || button !== 0 || (x >= left && x <= right && y >= top && y <= bottom)) return;
  event.preventDefault();
  closeDialog(event);
}
