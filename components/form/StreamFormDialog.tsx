import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PublicStream, StreamFields } from "../../lib/streams/schema.ts";
import { ConfirmDialog } from "../ui/ConfirmDialog.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import type { FormOptions } from "./formOptions.ts";
import { FIELDS } from "../../lib/streams/field_labels.ts";
import { copyName, groupsOf } from "./suggestions.ts";
import { StreamForm } from "./StreamForm.tsx";

type Kind = "add" | "edit" | "duplicate";

interface StreamFormDialogProps {
  kind: Kind;
  /** What is edited or duplicated. */
  stream?: PublicStream;
  /** Where to begin; the name if not given. */
  field?: keyof StreamFields;
  streams: PublicStream[];
  options: FormOptions;
  /** @throws {ApiError} with the problems of its fields. */
  onCreate: (body: Record<string, unknown>) => Promise<unknown>;
  /** `body` has the changed fields and the `revision` they are based on. @throws {ApiError} */
  onUpdate: (id: string, body: Record<string, unknown>) => Promise<unknown>;
  /** The form is gone, saved or not. */
  onClose: () => void;
}

const TITLES: Record<Kind, string> = {
  add: "Add a stream",
  edit: "Edit the stream",
  duplicate: "Duplicate the stream",
};

/** The form to add, edit or duplicate a stream; it never closes on unsaved changes without a question. */
export function StreamFormDialog(
  { field, streams, options, onCreate, onUpdate, onClose, ...start }: StreamFormDialogProps,
) {
  const [kind, setKind] = useState(start.kind);
  const dialog = useRef<HTMLDialogElement>(null);
  const isDirty = useRef(false);
  const isBusy = useRef(false);
  /** What to do once the changes are given up. */
  const [leave, setLeave] = useState<(() => void) | null>(null);
  // the stream as it was when the form opened: polls bring newer ones
  const [stream] = useState(start.stream);
  useUnloadGuard(isDirty);
  useEffect(() => {
    if (!dialog.current!.open) dialog.current!.showModal();
    const first = dialog.current!.querySelector<HTMLElement>(`[name=${field ?? "name"}]`)!;
    const folded = first.closest("details");
    if (folded) folded.open = true;
    first.focus();
  }, [kind]);

  const close = () => dialog.current?.close();

  /** False while a save is under way, which cannot be given up, and while unsaved changes need an answer. */
  function mayLeave(next: () => void): boolean {
    if (isBusy.current) return false;
    if (isDirty.current) setLeave(() => next);
    return !isDirty.current;
  }

  function discard() {
    isDirty.current = false;
    leave!();
  }

  function duplicate() {
    const next = () => setKind("duplicate");
    if (mayLeave(next)) next();
  }

  const id = kind === "edit" ? "edit" : "add";
  const isEdit = kind === "edit" && stream;
  const isCopy = kind === "duplicate" && stream;
  const initial = useMemo(
    () => isEdit ? valuesOf(stream) : isCopy ? copyOf(stream, streams) : options.defaults,
    [kind],
  );
  return (
    <>
      <Dialog
        id={id}
        title={TITLES[kind]}
        dialogRef={dialog}
        mayClose={() => mayLeave(close)}
        onClose={onClose}
      >
        <StreamForm
          key={kind}
          id={id}
          options={options}
          groups={groupsOf(streams)}
          stream={isEdit ? stream : undefined}
          desiredState={streams.find(({ id }) => id === stream?.id)?.desiredState}
          initial={initial}
          passHint={isCopy && stream.passSet ? "The password is not copied: type it again." : undefined}
          onSave={(body) => isEdit ? onUpdate(stream.id, body) : onCreate(body)}
          onSaved={close}
          onDraft={(hasChanges) => isDirty.current = hasChanges}
          onBusy={(isSaving) => isBusy.current = isSaving}
          onDuplicate={isEdit ? duplicate : undefined}
        />
      </Dialog>
      {leave && (
        <ConfirmDialog
          id="discard"
          title="Discard your changes?"
          keep="Keep editing"
          action="Discard"
          // once this dialog is closed, so that the form below it can take the focus
          onConfirm={() => void setTimeout(discard)}
          onClose={() => setLeave(null)}
        >
          What you typed is not saved.
        </ConfirmDialog>
      )}
    </>
  );
}

function valuesOf(stream: PublicStream): StreamFields {
  return {
    ...Object.fromEntries(FIELDS.map((field) => [field, stream[field] ?? ""])),
    pass: "",
  } as StreamFields;
}

function copyOf(stream: PublicStream, streams: PublicStream[]): StreamFields {
  return { ...valuesOf(stream), name: copyName(stream.name, streams.map(({ name }) => name)) };
}

/** Lets the browser ask before the page is left with unsaved changes. */
function useUnloadGuard(isDirty: { current: boolean }) {
  useEffect(() => {
    const guard = (event: BeforeUnloadEvent) => {
      if (isDirty.current) event.preventDefault();
    };
    addEventListener("beforeunload", guard);
    return () => removeEventListener("beforeunload", guard);
  }, []);
}
