import { type RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { PublicStream, StreamFields } from "../../lib/streams/schema.ts";
import { ApiError, problemOf } from "../client/api.ts";
import { fill, typed, unfoldProblems } from "./formControls.ts";
import type { Problems } from "./FormSummary.tsx";
import { restartNotice } from "./restartNotice.ts";
import { loadRules, type Rules } from "./rules.ts";
import { changes, differences, type Draft, FIELDS } from "./streamDraft.ts";

export interface StreamFormWork {
  initial: StreamFields;
  /** The stream that is edited; without it one is added. */
  stream?: PublicStream;
  /** Whether that stream is meant to run by now. */
  desiredState?: PublicStream["desiredState"];
  /** Sends everything typed, or what an edit changed. @throws {ApiError} with the problems of its fields. */
  onSave: (body: Record<string, unknown>) => Promise<void>;
  onSaved: () => void;
  /** Told whether anything here would be lost. */
  onDraft: (isDirty: boolean) => void;
  /** Told when a save begins and ends. */
  onBusy: (isBusy: boolean) => void;
}

/** A stream form at work: what is typed, what is wrong with it, what saving does, and who was faster. */
export function useStreamForm(
  { initial, stream, desiredState, onSave, onSaved, onDraft, onBusy }: StreamFormWork,
) {
  const form = useRef<HTMLFormElement>(null);
  const summary = useRef<HTMLDivElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const rules = useRef<Rules | null>(null);
  const [base, setBase] = useState(stream);
  const [draft, setDraft] = useState<Draft>({});
  const [isBusy, setIsBusy] = useState(false);
  const [told, setTold] = useState<Problems>({});
  const [problems, setProblems] = useState<Problems>({});
  const [current, setCurrent] = useState<PublicStream | null>(null);
  const [resets, setResets] = useState(0);

  const normal = (field: string, value: unknown) => rules.current?.storedValue(field, value) ?? value;
  const changedFrom = (from: StreamFields | PublicStream, now: Draft) => changes(now, from, normal);
  const mine = changedFrom(base ?? initial, draft);

  useEffect(() => {
    let isGone = false;
    // without it (offline, say) the service judges alone
    loadRules().then((loaded) => {
      rules.current = loaded;
      if (!isGone) refresh();
    }, () => {});
    return () => void (isGone = true);
  }, []);

  const isDirty = Object.keys(mine).length > 0;
  useLayoutEffect(() => onDraft(isDirty), [isDirty]);

  function setBusy(isSaving: boolean) {
    onBusy(isSaving);
    setIsBusy(isSaving);
  }

  function refresh() {
    if (form.current) setDraft(typed(form.current));
  }

  function tell(found: Problems) {
    setTold(found);
    setProblems(found);
    if (Object.keys(found).length > 0) afterRender(form, summary);
  }

  /** Looks again at a field whose problem is shown. */
  function review(event: Event) {
    refresh();
    const { name } = event.target as HTMLInputElement;
    if (!(name in problems) || !rules.current || !form.current) return;
    const { [name]: _, ...others } = problems;
    const problem = rules.current.problemsOf(typed(form.current))[name];
    setProblems(problem ? { ...others, [name]: problem } : others);
  }

  /** Saves what is typed; an edit, as what it changes of `from`. */
  async function save(from: PublicStream | undefined) {
    if (isBusy) return;
    setBusy(true);
    const now = typed(form.current!);
    let body: Draft = {};
    try {
      const judge = rules.current ?? await loadRules().catch(() => null);
      const found = judge?.problemsOf(now) ?? {};
      tell(found);
      if (Object.keys(found).length > 0) return;
      body = from ? changedFrom(from, now) : now;
      if (!from || Object.keys(body).length > 0) {
        await onSave(from ? { ...body, revision: from.revision } : body);
      }
      onDraft(false);
      onSaved();
    } catch (error) {
      const { fields, current } = error instanceof ApiError ? error : { fields: {} };
      if (current && from) meet(current, from, body);
      else {
        tell(Object.keys(fields).length ? fields : { "": problemOf(error) });
      }
    } finally {
      setBusy(false);
    }
  }

  /** Someone was faster. When both want the same, there is nothing to decide. */
  function meet(theirs: PublicStream, from: PublicStream, body: Draft) {
    if (differences(body, from, theirs, normal).length === 0) {
      onDraft(false);
      return onSaved();
    }
    setCurrent(theirs);
    afterRender(form, panel);
  }

  const valuesOf = (theirs: PublicStream, isTaken: (field: string) => boolean) =>
    Object.fromEntries(
      FIELDS.filter((field) => field !== "pass" && isTaken(field)).map((field) => [field, theirs[field]]),
    );

  function keepMine() {
    if (isBusy) return;
    const theirs = current!;
    fill(form.current!, valuesOf(theirs, (field) => !(field in mine)));
    setBase(theirs);
    setCurrent(null);
    save(theirs);
  }

  function takeTheirs() {
    if (isBusy) return;
    const theirs = current!;
    fill(form.current!, valuesOf(theirs, () => true));
    setBase(theirs);
    setCurrent(null);
    setResets((count) => count + 1);
    tell({});
    form.current!.querySelector<HTMLElement>("input:not([type=radio])")!.focus();
    setTimeout(refresh);
  }

  return {
    refs: { form, summary, panel },
    isBusy,
    problems,
    told,
    base,
    isDirty,
    resets,
    notice: base
      ? restartNotice({ ...base, desiredState: desiredState ?? base.desiredState }, mine, normal)
      : "",
    conflict: base && current ? differences(mine, base, current, normal) : null,
    review,
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
