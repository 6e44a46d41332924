import { useRef, useState } from "preact/hooks";
import { problemOf } from "../client/api.ts";

/** An answer that is carried out: once at a time, and what fails is said. @param failed before an error's message. */
export function useConfirm(onConfirm: () => Promise<void> | void, failed = "") {
  const [isBusy, setBusy] = useState(false);
  /** As `isBusy`, but known before the next rendering. */
  const isActing = useRef(false);
  const [problem, setProblem] = useState("");

  /** @param onDone when it worked. */
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
