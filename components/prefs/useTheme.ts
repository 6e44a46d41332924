import { useEffect } from "preact/hooks";
import { applyTheme } from "./theme.ts";
import { DEFAULT_PREFS, GLOBAL_KEY, readPrefs } from "./prefs.ts";
import { SafeStorage } from "./storage.ts";

/** For pages without settings of their own: follows those that are made in another tab. */
export function useTheme(): void {
  useEffect(() => {
    const storage = new SafeStorage();
    const apply = () => applyTheme({ ...DEFAULT_PREFS, ...readPrefs(storage.get(GLOBAL_KEY)) });
    const changedElsewhere = ({ key }: StorageEvent) => {
      if (key === null || key === GLOBAL_KEY) apply();
    };
    apply();
    addEventListener("storage", changedElsewhere);
    return () => removeEventListener("storage", changedElsewhere);
  }, []);
}
