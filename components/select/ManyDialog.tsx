import type { ComponentChildren, RefObject } from "preact";
import type { PublicStream } from "../../lib/model/schema.ts";
import { closeDialog, Dialog } from "../ui/Dialog.tsx";
import { nameList } from "./selection.ts";

interface ManyDialogProps {
  id: string;
  title: string;
  /** The words of the button that does it. */
  action: string;
  form: RefObject<HTMLFormElement>;
  streams: readonly PublicStream[];
  isBusy?: boolean;
  problem?: string;
  /** @returns whether it is done, which closes the dialog. */
  submit: () => Promise<boolean>;
  onClose: () => void;
  children: ComponentChildren;
}

/** A dialog that changes all selected streams. */
export function ManyDialog(
  { id, title, action, form, streams, isBusy = false, problem = "", submit, onClose, children }:
    ManyDialogProps,
) {
  async function onSubmit(event: SubmitEvent) {
    event.preventDefault();
    if (!isBusy && await submit()) form.current!.closest("dialog")!.close();
  }
  return (
    <Dialog id={id} title={title} mayClose={() => !isBusy} onClose={onClose}>
      <form ref={form} noValidate aria-busy={isBusy} onSubmit={onSubmit}>
        <div class="dialog-body">
          <p class="wrap">Streams: {nameList(streams.map(({ name }) => name), 5)}.</p>
          {children}
          <p class="problem" role="alert">{problem}</p>
        </div>
        <div class="dialog-actions">
          <button type="button" aria-disabled={isBusy} onClick={closeDialog}>Cancel</button>
          <button type="submit" class="primary" aria-disabled={isBusy}>{isBusy ? "Saving…" : action}</button>
        </div>
      </form>
    </Dialog>
  );
}
