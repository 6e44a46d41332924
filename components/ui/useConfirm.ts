import { useRef, useState } from "preact/hooks";
import { problemOf } from "../client/api.ts";

/** Carries an answer out once at a time, and reports its error. @param failed the words before an error's message. */
export function useConfirm(onConfirm: () => Promise<void> | void, failed = "") {
  const [isBusy, setBusy] = useState(false);
  /** `isBusy` as known before the next rendering. */
  const isActing = useRef(false);
  const [problem, setProblem] = useState("");

  /** @param onDone called after success. */
  async function confirm(onDone: () => void) {
    if (isActing.current) return;
    isActing.current = true;
    setBusy(true);
    setProblem("");
    try {
      await onConfirm();
      isActing.current = false;
      onDone();
    } catch (error) {
      isActing.current = false;
      setProblem(`${failed} ${problemOf(error)}`);
      setBusy(false);
    }
  }

  return { isBusy, isActing, problem, confirm };
}
