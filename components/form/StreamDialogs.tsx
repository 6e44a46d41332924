import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PublicStream, StreamFields } from "../../lib/streams/schema.ts";
import { closeDialog, Dialog } from "../ui/Dialog.tsx";
import type { FormOptions } from "./formOptions.ts";
import { copyName, FIELDS, groupsOf } from "./streamDraft.ts";
import { StreamForm } from "./StreamForm.tsx";

interface StreamDialogsProps {
  /** What the person wants; anything but these three shows no form. */
  asked: { what: string; stream?: PublicStream } | null;
  streams: PublicStream[];
  options: FormOptions;
  /** @throws {ApiError} with the problems of its fields. */
  onAdd: (body: Record<string, unknown>) => Promise<void>;
  /** `body` has the changed fields and the `revision` they are based on. @throws {ApiError} */
  onEdit: (id: string, body: Record<string, unknown>) => Promise<void>;
  /** The form is gone, saved or not. */
  onClose: () => void;
}

const TITLES: Record<string, string> = {
  add: "Add a stream",
  edit: "Edit the stream",
  duplicate: "Duplicate the stream",
};

/** The forms to add, edit and duplicate a stream; none closes on unsaved changes without a question. */
export function StreamDialogs({ asked, ...props }: StreamDialogsProps) {
  if (!asked || !(asked.what in TITLES)) return null;
  return <FormDialog key={`${asked.what} ${asked.stream?.id}`} {...props} asked={asked} />;
}

function FormDialog(
  { asked, streams, options, onAdd, onEdit, onClose }: StreamDialogsProps & {
    asked: NonNullable<StreamDialogsProps["asked"]>;
  },
) {
  const [what, setWhat] = useState(asked.what);
  const dialog = useRef<HTMLDialogElement>(null);
  const isDirty = useRef(false);
  const isBusy = useRef(false);
  /** What to do once the changes are given up. */
  const [leave, setLeave] = useState<(() => void) | null>(null);
  // as it was when the form opened: polls bring newer ones
  const [stream] = useState(asked.stream);
  useUnloadGuard(isDirty);
  useEffect(() => {
    if (!dialog.current!.open) dialog.current!.showModal();
    dialog.current!.querySelector<HTMLElement>("[name=name]")!.focus();
  }, [what]);

  const close = () => dialog.current?.close();

  /** What is on its way can no longer be given up. */
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
    const next = () => setWhat("duplicate");
    if (mayLeave(next)) next();
  }

  const id = what === "edit" ? "edit" : "add";
  const isEdit = what === "edit" && stream;
  const isCopy = what === "duplicate" && stream;
  const initial = useMemo(
    () => isEdit ? valuesOf(stream) : isCopy ? copyOf(stream, streams) : options.defaults,
    [what],
  );
  return (
    <>
      <Dialog
        id={id}
        title={TITLES[what]}
        dialogRef={dialog}
        mayClose={() => mayLeave(close)}
        onClose={onClose}
      >
        <StreamForm
          key={what}
          id={id}
          options={options}
          groups={groupsOf(streams)}
          stream={isEdit ? stream : undefined}
          desiredState={streams.find(({ id }) => id === stream?.id)?.desiredState}
          initial={initial}
          passHint={isCopy && stream.passSet ? "The password is not copied: type it again." : undefined}
          onSave={(body) => isEdit ? onEdit(stream.id, body) : onAdd(body)}
          onSaved={close}
          onDraft={(hasChanges) => isDirty.current = hasChanges}
          onBusy={(isSaving) => isBusy.current = isSaving}
          onDuplicate={isEdit ? duplicate : undefined}
        />
      </Dialog>
      {leave && (
        <Dialog id="discard" title="Discard your changes?" onClose={() => setLeave(null)}>
          <div class="dialog-body">
            <p>What you typed is not saved.</p>
          </div>
          <div class="dialog-actions">
            <button type="button" autofocus onClick={closeDialog}>Keep editing</button>
            <button
              type="button"
              class="danger"
              onClick={(event) => {
                closeDialog(event);
                discard();
              }}
            >
              Discard
            </button>
          </div>
        </Dialog>
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
