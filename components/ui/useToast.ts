import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type Toast, ToastList } from "./toastList.ts";

/** Lines that say that an action worked, and go away by themselves; Ctrl+Z takes the last action back. */
export function useToast() {
  const shown = useSignal<readonly Toast[]>([]);
  const list = useRef<ToastList>();
  list.current ??= new ToastList((ms, call) => {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  }, (toasts) => shown.value = toasts);
  const own = list.current;

  useEffect(() => {
    const keyDown = (event: KeyboardEvent) => {
      if (event.key !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
      if ((event.target as Element).closest("input, textarea, select, dialog")) return;
      if (own.undo()) event.preventDefault();
    };
    const end = () => own.endAll();
    addEventListener("keydown", keyDown);
    addEventListener("pagehide", end);
    return () => {
      removeEventListener("keydown", keyDown);
      removeEventListener("pagehide", end);
    };
  }, []);

  return {
    shown,
    show: own.show.bind(own),
    hold: own.hold.bind(own),
  };
}

export type Toaster = ReturnType<typeof useToast>;
