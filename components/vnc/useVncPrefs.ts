import { useEffect, useRef, useState } from "preact/hooks";
import { SafeStorage } from "../prefs/storage.ts";
import { DEFAULT_VNC_PREFS, readVncPrefs, VNC_KEY, type VncPrefs } from "./vncPrefs.ts";

/** The viewer's choices, kept in localStorage. */
export function useVncPrefs(): [VncPrefs, (change: Partial<VncPrefs>) => void] {
  const storage = useRef<SafeStorage>();
  const [prefs, setPrefs] = useState(DEFAULT_VNC_PREFS);
  useEffect(() => {
    storage.current = new SafeStorage();
    setPrefs(readVncPrefs(storage.current.get(VNC_KEY)));
  }, []);

  function change(some: Partial<VncPrefs>) {
    const next = { ...prefs, ...some };
    storage.current?.set(VNC_KEY, JSON.stringify(next));
    setPrefs(next);
  }
  return [prefs, change];
}
