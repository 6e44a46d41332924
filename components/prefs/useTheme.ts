import { useEffect } from "preact/hooks";
import { applyTheme } from "./theme.ts";
import { DEFAULT_PREFS, GLOBAL_KEY, readPrefs } from "./prefs.ts";
import { SafeStorage } from "./storage.ts";

/** Follows the settings of another tab, for pages without settings of their own. */
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
