import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { completeAddress, withLogin } from "../../../lib/model/web_address.ts";
import type { TriedPage } from "../../../lib/model/answers/shapes.ts";
import type { StreamFields } from "../../../lib/model/schema.ts";
import { ApiError, problemOf } from "../../client/api.ts";
import type { Problems } from "../FormSummary.tsx";
import { readForm, takeLogin } from "../controls.ts";
import { trialBody, tryPage } from "./trials.ts";

export type Outcome = { tried: TriedPage } | { problem: string } | null;

export interface TrialWork {
  form: RefObject<HTMLFormElement>;
  /** The form's first values. */
  initial: StreamFields;
  defaults: StreamFields;
  /** The id of the stream that is edited. */
  stream?: string;
  /** Called with the address and the page's title, "" without one, as soon as the trial is over. */
  onTried: (url: string, title: string) => void;
  /** Called with the problems of the fields, where they keep the page from being tried. */
  onRefused: (problems: Problems) => void;
}

export type Trial = ReturnType<typeof useTrial>;

/** The trial of a form's address: one at a time, and its outcome. */
export function useTrial({ form, initial, defaults, stream, onTried, onRefused }: TrialWork) {
  const trying = useRef<AbortController | null>(null);
  /** The address that was tried last; a stored one needs no trial. */
  const known = useRef(initial.url);
  const [isTrying, setTrying] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>(null);
  useEffect(() => () => trying.current?.abort(), []);

  async function start() {
    const own = trying.current = new AbortController();
    takeLogin(form.current!);
    const { user, pass } = readForm(form.current!);
    const trial = trialBody(form.current!, defaults, stream);
    const url = completeAddress(trial.url.trim());
    // a trial takes a login in its address alone
    const body = { ...trial, url: withLogin(url, String(user ?? ""), String(pass ?? "")) };
    known.current = url;
    setTrying(true);
    setOutcome(null);
    const next = await tryPage(body, own.signal).then((tried) => ({ tried }), (error) => ({ error }));
    if (trying.current !== own) return;
    setTrying(false);
    if (own.signal.aborted) return;
    if ("tried" in next) {
      setOutcome(next);
      return onTried(next.tried.url, next.tried.title);
    }
    const fields = next.error instanceof ApiError ? next.error.fields : {};
    const isMarked = Object.keys(fields).length > 0;
    setOutcome({ problem: isMarked ? "Correct the marked field, and try again." : problemOf(next.error) });
    if (isMarked) onRefused(fields);
  }

  return {
    isTrying,
    outcome,
    start,
    stop: () => trying.current?.abort(),
    /** Whether an address was neither stored nor tried yet, or is being tried. */
    isDue: (url: string) => isTrying || completeAddress(url.trim()) !== known.current,
  };
}
