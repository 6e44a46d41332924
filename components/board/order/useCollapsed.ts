import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { SafeStorage } from "../../prefs/storage.ts";
import { toggled } from "../filter/filter.ts";

/** The inline script of every page reads this entry, too (lib/door/inline_script.ts). */
export const COLLAPSED_KEY = "collapsed-groups";
/** More sections than viewers close; the oldest keys are forgotten first. */
const MAX_KEPT = 100;
const NONE: readonly string[] = [];

/** The keys of the groups whose section is closed, kept in the browser. */
export function useCollapsed() {
  const storage = useRef<SafeStorage>();
  const keys = useSignal(NONE);
  const store = () => storage.current ??= new SafeStorage();

  function read() {
    const stored = readKeys(store().get(COLLAPSED_KEY));
    if (stored.length > 0 || keys.peek().length > 0) keys.value = stored;
  }

  useLayoutEffect(() => {
    read();
    const changedElsewhere = ({ key }: StorageEvent) => {
      store().forget(key);
      if (key === null || key === COLLAPSED_KEY) read();
    };
    addEventListener("storage", changedElsewhere);
    return () => removeEventListener("storage", changedElsewhere);
  }, []);

  // The inline script's style hid the closed sections so far; from now on the page hides them.
  useEffect(() => void (document.adoptedStyleSheets = []), [keys.value]);

  function toggle(key: string) {
    store().set(COLLAPSED_KEY, JSON.stringify(toggled(keys.peek(), key).slice(-MAX_KEPT)));
    read();
  }

  return { has: (key: string) => keys.value.includes(key), toggle };
}

/** The keys of a stored text; other content may have been written there. */
export function readKeys(text: string | null): string[] {
  try {
    const stored: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(stored) ? stored.filter((key) => typeof key === "string") : [];
  } catch {
    return [];
  }
}
