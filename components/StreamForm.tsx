import { useRef, useState } from "preact/hooks";
import type { PublicStream, StreamFields } from "../lib/streams/stream.ts";
import { ApiError, problemOf } from "./api.ts";
import { closeDialog } from "./Dialog.tsx";
import { Field } from "./Field.tsx";
import type { FormOptions } from "./formOptions.ts";
import { FormSummary, type Problems } from "./FormSummary.tsx";
import { CUSTOM, PictureChoice, pictureOf } from "./PictureChoice.tsx";
import { field, PictureNumbers, SignIn, SoundAndReload } from "./StreamFormParts.tsx";

interface StreamFormProps {
  /** Prefix of the fields' ids. */
  id: string;
  options: FormOptions;
  /** The stream to edit; without it the form adds one. */
  stream?: PublicStream;
  /** Sends what was typed (when editing: what was changed); throws an ApiError to show problems at the fields. */
  onSave: (body: Record<string, unknown>) => Promise<void>;
}

/** Everything a person can set on a stream. The fields keep what is typed; the service alone judges it. */
export function StreamForm({ id, options, stream, onSave }: StreamFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const summary = useRef<HTMLDivElement>(null);
  const initial: StreamFields = stream ? { ...stream, pass: "" } : options.defaults;
  const [isBusy, setBusy] = useState(false);
  const [problems, setProblems] = useState<Problems>({});
  const [picture, setPicture] = useState(() =>
    pictureOf(options.pictures, (field) => initial[field as keyof StreamFields])
  );

  const control = (name: string) => form.current!.elements.namedItem(name) as HTMLInputElement;

  function choosePicture(name: string) {
    setPicture(name);
    for (const [field, value] of Object.entries(options.pictures[name] ?? {})) {
      control(field).value = String(value);
    }
    if (name === CUSTOM) control("fps").closest("details")!.open = true;
  }

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    const dialog = form.current!.closest("dialog");
    try {
      const body = typed(form.current!);
      await onSave(stream ? changes(body, initial) : body);
      setProblems({});
      dialog?.close();
    } catch (error) {
      const fields = error instanceof ApiError ? error.fields : {};
      setProblems(Object.keys(fields).length ? fields : { "": problemOf(error) });
      // After the render that shows them: details around a bad field open, then the summary takes the focus.
      setTimeout(() => {
        for (const field of form.current?.querySelectorAll("[aria-invalid]") ?? []) {
          const details = field.closest("details");
          if (details) details.open = true;
        }
        summary.current?.focus();
      });
    } finally {
      setBusy(false);
    }
  }

  const parts = { form: id, initial, problems };
  return (
    <form ref={form} noValidate aria-busy={isBusy} onSubmit={submit}>
      <div class="dialog-body">
        <FormSummary form={id} problems={problems} summaryRef={summary} />
        <Field
          {...field("name", parts)}
          label="Name"
          placeholder="Sales dashboard"
          autocomplete="off"
          autofocus
        />
        <Field
          {...field("url", parts)}
          label="Page address"
          type="url"
          placeholder="https://grafana.example.org/d/overview"
          autocomplete="off"
          spellcheck={false}
        />
        <PictureChoice form={id} pictures={options.pictures} chosen={picture} onChoose={choosePicture} />
        <SoundAndReload {...parts} />
        <SignIn {...parts} isPassSet={stream?.passSet ?? false} />
        <PictureNumbers
          {...parts}
          options={options}
          onInput={() => setPicture(pictureOf(options.pictures, (field) => control(field).value))}
        />
      </div>
      <div class="dialog-actions">
        <button type="button" onClick={closeDialog}>Cancel</button>
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {stream ? (isBusy ? "Saving…" : "Save") : (isBusy ? "Adding…" : "Add stream")}
        </button>
      </div>
    </form>
  );
}

function typed(form: HTMLFormElement): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const control of form.elements) {
    const { name, type, value, checked } = control as HTMLInputElement;
    if (name && type !== "radio") body[name] = type === "checkbox" ? checked : value;
  }
  return body;
}

function changes(body: Record<string, unknown>, before: StreamFields): Record<string, unknown> {
  const isChanged = ([name, value]: [string, unknown]) =>
    String(value) !== String(before[name as keyof StreamFields]);
  return Object.fromEntries(Object.entries(body).filter(isChanged));
}
