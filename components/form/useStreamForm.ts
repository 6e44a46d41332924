import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { PublicStream, StreamFields } from "../../lib/model/schema.ts";
import { ApiError, problemOf } from "../client/api.ts";
import { completeForm, fillForm, readForm, unfoldProblems } from "./controls.ts";
import type { Problems } from "./FormSummary.tsx";
import { restartPreview } from "./restartPreview.ts";
import { loadValidation, type Validation } from "./loadValidation.ts";
import { isSecret } from "../../lib/model/secrets.ts";
import { changes, differences, type Draft } from "./draft.ts";
import { FIELDS } from "../../lib/model/fields.ts";

export interface StreamFormWork {
  initial: StreamFields;
  /** The stream that is edited; absent: the form adds a stream. */
  stream?: PublicStream;
  /** The stream's present desired state. */
  desiredState?: PublicStream["desiredState"];
  /** Sends all typed values, or an edit's changes. @throws {ApiError} with the problems of its fields. */
  onSave: (body: Record<string, unknown>) => Promise<unknown>;
  onSaved: () => void;
  /** Called with whether the form has unsaved changes. */
  onDraft: (isDirty: boolean) => void;
  /** Called when a save begins and ends. */
  onBusy: (isBusy: boolean) => void;
}

/** A stream form at work: its values, their problems, the effect of saving, and changes that others saved meanwhile. */
export function useStreamForm(
  { initial, stream, desiredState, onSave, onSaved, onDraft, onBusy }: StreamFormWork,
) {
  const form = useRef<HTMLFormElement>(null);
  const summary = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const validation = useRef<Validation | null>(null);
  const [base, setBase] = useState(stream);
  const [draft, setDraft] = useState<Draft>({});
  const [isBusy, setIsBusy] = useState(false);
  const [problemsAtSave, setProblemsAtSave] = useState<Problems>({});
  const [problems, setProblems] = useState<Problems>({});
  const [stored, setStored] = useState<PublicStream | null>(null);
  const [resets, setResets] = useState(0);

  const normalize = (field: string, value: unknown) => validation.current?.storedValue(field, value) ?? value;
  const changedFrom = (from: StreamFields | PublicStream, now: Draft) => changes(now, from, normalize);
  const edits = changedFrom(base ?? initial, draft);

  useEffect(() => {
    let isGone = false;
    // without the schema (as offline) only the service checks the values
    loadValidation().then((loaded) => {
      validation.current = loaded;
      if (!isGone) refresh();
    }, () => {});
    return () => void (isGone = true);
  }, []);

  const isDirty = Object.keys(edits).length > 0;
  useLayoutEffect(() => onDraft(isDirty), [isDirty]);

  function setBusy(isSaving: boolean) {
    onBusy(isSaving);
    setIsBusy(isSaving);
  }

  function refresh() {
    if (form.current) setDraft(readForm(form.current));
  }

  function showProblems(found: Problems) {
    setProblemsAtSave(found);
    setProblems(found);
    if (Object.keys(found).length > 0) afterRender(form, summary);
  }

  /** Shows problems at their fields; the focus stays. */
  function mark(found: Problems) {
    setProblems((now) => ({ ...now, ...found }));
    setTimeout(() => form.current && unfoldProblems(form.current));
  }

  /** Checks a field again if its problem is shown. */
  function review(event: Event) {
    // a field that goes away with the form loses the focus, too
    if (!form.current) return;
    const { name } = event.target as HTMLInputElement;
    if (event.type === "focusout" && name === "url") completeForm(form.current);
    refresh();
    if (!(name in problems) || !validation.current) return;
    const { [name]: _, ...others } = problems;
    const problem = validation.current.problemsOf(readForm(form.current), base)[name];
    setProblems(problem ? { ...others, [name]: problem } : others);
  }

  /** Saves the typed values; an edit sends only its changes to `from`. */
  async function save(from: PublicStream | undefined) {
    if (isBusy) return;
    setBusy(true);
    completeForm(form.current!);
    const now = readForm(form.current!);
    let body: Draft = {};
    try {
      const rules = validation.current ?? await loadValidation().catch(() => null);
      const found = rules?.problemsOf(now, from) ?? {};
      showProblems(found);
      if (Object.keys(found).length > 0) return;
      body = from ? changedFrom(from, now) : now;
      if (!from || Object.keys(body).length > 0) {
        await onSave(from ? { ...body, revision: from.revision } : body);
      }
      onDraft(false);
      onSaved();
    } catch (error) {
      const { fields, current } = error instanceof ApiError ? error : { fields: {} };
      if (current && from) resolveConflict(current, from, body);
      else {
        showProblems(Object.keys(fields).length ? fields : { "": problemOf(error) });
      }
    } finally {
      setBusy(false);
    }
  }

  /** Handles a save by another person meanwhile. Equal changes need no decision. */
  function resolveConflict(theirs: PublicStream, from: PublicStream, body: Draft) {
    if (differences(body, from, theirs, normalize).length === 0) {
      onDraft(false);
      return onSaved();
    }
    setStored(theirs);
    afterRender(form, panel);
  }

  const valuesOf = (theirs: StreamFields | PublicStream, isTaken: (field: string) => boolean) =>
    Object.fromEntries(
      FIELDS.filter((field) => !isSecret(field) && isTaken(field)).map((
        field,
      ) => [field, theirs[field as keyof typeof theirs]]),
    );

  function keepMine() {
    if (isBusy) return;
    const theirs = stored!;
    fillForm(form.current!, valuesOf(theirs, (field) => !(field in edits)));
    setBase(theirs);
    setStored(null);
    save(theirs);
  }

  function takeTheirs() {
    if (isBusy) return;
    const theirs = stored!;
    fillForm(form.current!, valuesOf(theirs, () => true));
    setBase(theirs);
    setStored(null);
    setResets((count) => count + 1);
    showProblems({});
    form.current!.querySelector<HTMLElement>("input:not([type=radio])")!.focus();
    setTimeout(refresh);
  }

  return {
    /** The present values; a secret that stays as it is stored has none. */
    values: { ...valuesOf(initial, () => true), ...draft } as Record<string, unknown>,
    secretProblems: validation.current?.secretProblems(draft, base) ?? {},
    refs: { form, summary, panel },
    isBusy,
    problems,
    problemsAtSave,
    base,
    isDirty,
    resets,
    preview: base
      ? restartPreview({ ...base, desiredState: desiredState ?? base.desiredState }, edits, normalize)
      : "",
    conflict: base && stored ? differences(edits, base, stored, normalize) : null,
    review,
    mark,
    submit: () => save(base),
    keepMine,
    takeTheirs,
  };
}

function afterRender(form: RefObject<HTMLFormElement>, target: RefObject<HTMLElement>) {
  setTimeout(() => {
    if (form.current) unfoldProblems(form.current);
    target.current?.focus();
  });
}
