import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "./Icon.tsx";

interface DialogProps {
  id: string;
  title: string;
  children: ComponentChildren;
  /** For a dialog that stays in the page and is opened by its owner; without it, it opens as it appears. */
  dialogRef?: RefObject<HTMLDialogElement>;
  onClose?: () => void;
}

/** A native modal dialog: the browser keeps the focus inside, closes it on Escape and gives the focus back. */
export function Dialog({ id, title, children, dialogRef, onClose }: DialogProps) {
  const own = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (!dialogRef) own.current!.showModal();
  }, []);
  return (
    <dialog id={id} ref={dialogRef ?? own} aria-labelledby={`${id}-title`} onClose={onClose}>
      <div class="dialog-head">
        <h2 id={`${id}-title`}>{title}</h2>
        <button type="button" class="quiet square" title="Close" onClick={closeDialog}>
          <Icon name="close" />
          <span class="hidden">Close</span>
        </button>
      </div>
      {children}
    </dialog>
  );
}

/** Closes the dialog around the control that was used. */
export function closeDialog(event: Event): void {
  (event.currentTarget as Element).closest("dialog")?.close();
}
