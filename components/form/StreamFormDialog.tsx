import type { ComponentType } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { PublicStream, StreamFields } from "../../lib/model/schema.ts";
import { SECRET_FIELDS, setName } from "../../lib/model/secrets.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { Question } from "../ui/Question.tsx";
import type { FormOptions } from "./formOptions.ts";
import { FIELDS } from "../../lib/model/fields.ts";
import { copyName, groupsOf } from "./suggestions.ts";
import type { SeveralFormProps } from "./several/SeveralForm.tsx";
import { StreamForm } from "./StreamForm.tsx";

type Kind = "add" | "edit" | "duplicate";

interface StreamFormDialogProps {
  kind: Kind;
  /** The stream that is edited or duplicated. */
  stream?: PublicStream;
  /** The field that gets the focus; absent: the address of a new stream, else the name. */
  field?: keyof StreamFields;
  /** A new stream's address that was typed before the form opened. */
  address?: string;
  streams: PublicStream[];
  options: FormOptions;
  /** @throws {ApiError} with the problems of its fields. */
  onCreate: (body: Record<string, unknown>) => Promise<unknown>;
  /** `body` has the changed fields and the `revision` they are based on. @throws {ApiError} */
  onUpdate: (id: string, body: Record<string, unknown>) => Promise<unknown>;
  /** Called when the form is gone, saved or not. */
  onClose: () => void;
}

/** The list of several streams, once its code is loaded. */
interface Several extends Pick<SeveralFormProps, "lines" | "group"> {
  Form: ComponentType<SeveralFormProps>;
}

/** Used when the code cannot be loaded, as offline: the text is then pasted unchanged. */
const NOT_LOADED = { SeveralForm: null, pastedLines: () => null };

const DEEDS = { edit: "Edit", duplicate: "Duplicate" };

/** The form's heading, which names the stream that it is about. */
function titleOf(kind: Kind, stream: PublicStream | undefined): string {
  return kind === "add" || !stream ? "Add a stream" : `${DEEDS[kind]} “${stream.name}”`;
}

/** The form that adds, edits or duplicates a stream; it never closes on unsaved changes without a question. */
export function StreamFormDialog(
  { field, address, streams, options, onCreate, onUpdate, onClose, ...start }: StreamFormDialogProps,
) {
  const [kind, setKind] = useState(start.kind);
  const dialog = useRef<HTMLDialogElement>(null);
  const isDirty = useRef(false);
  const isBusy = useRef(false);
  const [several, setSeveral] = useState<Several | null>(null);
  /** The action that follows when the changes are discarded. */
  const [leave, setLeave] = useState<(() => void) | null>(null);
  // the stream as it was when the form opened: polls bring newer versions
  const [stream] = useState(start.stream);
  useUnloadGuard(isDirty);
  useLayoutEffect(() => {
    if (!dialog.current!.open) dialog.current!.showModal();
    const first = dialog.current!.querySelector<HTMLElement>(
      `[name=${field ?? (kind === "add" ? "url" : "name")}]`,
    )!;
    const folded = first.closest("details");
    if (folded) folded.open = true;
    first.focus();
  }, [kind]);

  const close = () => dialog.current?.close();

  /** False while a save is under way, which cannot be stopped, and while unsaved changes need an answer. */
  function mayLeave(next: () => void): boolean {
    if (isBusy.current) return false;
    if (isDirty.current) setLeave(() => next);
    return !isDirty.current;
  }

  function discard() {
    isDirty.current = false;
    setLeave(null);
    leave!();
  }

  /** Shows the list of several streams instead of the form, and loads the list's code first. */
  async function pasteSeveral(text: string, group: string): Promise<boolean> {
    const { SeveralForm, pastedLines } = await import("./several/SeveralForm.tsx").catch(() => NOT_LOADED);
    const lines = pastedLines(text, streams.map(({ name }) => name));
    if (!lines || !SeveralForm) return false;
    const taken = new Set(streams.map(({ channelNumber }) => `${channelNumber}`));
    // other lists count from 1, too: such a line gets the next free number
    for (const line of lines) if (taken.has(line.channelNumber ?? "")) line.channelNumber = "";
    isDirty.current = true;
    setSeveral({ Form: SeveralForm, lines, group });
    return true;
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
  const shared = {
    id,
    options,
    groups: groupsOf(streams),
    onBusy: (isSaving: boolean) => void (isBusy.current = isSaving),
  };
  return (
    <Dialog
      id={id}
      title={several ? "Add several streams" : titleOf(kind, stream)}
      dialogRef={dialog}
      mayClose={() => mayLeave(close)}
      onClose={onClose}
    >
      <div class="dialog-content" inert={leave !== null}>
        {several
          ? (
            <several.Form
              {...shared}
              lines={several.lines}
              group={several.group}
              onCreate={onCreate}
              onSaved={() => {
                isDirty.current = false;
                close();
              }}
            />
          )
          : (
            <StreamForm
              key={kind}
              {...shared}
              stream={isEdit ? stream : undefined}
              desiredState={streams.find(({ id }) => id === stream?.id)?.desiredState}
              initial={initial}
              address={kind === "add" ? address : undefined}
              notCopied={isCopy ? SECRET_FIELDS.filter((field) => stream[setName(field)]) : []}
              onSave={(body) => isEdit ? onUpdate(stream.id, body) : onCreate(body)}
              onSaved={close}
              onDraft={(hasChanges) => isDirty.current = hasChanges}
              onDuplicate={isEdit ? duplicate : undefined}
              onPasteSeveral={kind === "add" ? pasteSeveral : undefined}
            />
          )}
      </div>
      {leave && (
        <Question
          id="discard"
          title="Discard your changes?"
          keep="Keep editing"
          action="Discard"
          onConfirm={discard}
          onKeep={() => setLeave(null)}
        >
          What you typed is not saved.
        </Question>
      )}
    </Dialog>
  );
}

function valuesOf(stream: PublicStream): StreamFields {
  return {
    ...Object.fromEntries(FIELDS.map((field) => [field, stream[field] ?? ""])),
    ...Object.fromEntries(SECRET_FIELDS.map((field) => [field, ""])),
  } as StreamFields;
}

function copyOf(stream: PublicStream, streams: PublicStream[]): StreamFields {
  // two channels cannot have one number
  return {
    ...valuesOf(stream),
    channelNumber: 0,
    name: copyName(stream.name, streams.map(({ name }) => name)),
  };
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
