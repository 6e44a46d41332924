import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";

/** The time to read one line twice. */
const SHOWN_MS = 5000;

/** A line that says that a small action worked, and goes away by itself. */
export function useToast() {
  const text = useSignal("");
  const timer = useRef<ReturnType<typeof setTimeout>>();

  function show(line: string) {
    clearTimeout(timer.current);
    text.value = line;
    timer.current = setTimeout(() => text.value = "", SHOWN_MS);
  }

  return { text, show };
}
