import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { ApiError, problemOf } from "./api.ts";

/**
 * Sends a form once at a time, and shows why it was refused: at its fields, the first of which takes the focus, or as
 * one problem of the whole form. After success the form goes away.
 */
export function useSubmit(form: RefObject<HTMLFormElement>, send: (event: SubmitEvent) => Promise<void>) {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const [problems, setProblems] = useState<Record<string, string>>({});
  useLayoutEffect(() => form.current!.querySelector<HTMLElement>("[aria-invalid]")?.focus(), [problems]);

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    try {
      await send(event);
    } catch (error) {
      const fields = error instanceof ApiError ? error.fields : {};
      setProblems(fields);
      setProblem(Object.keys(fields).length > 0 ? "" : problemOf(error));
      setBusy(false);
    }
  }

  return { isBusy, problem, problems, submit };
}
