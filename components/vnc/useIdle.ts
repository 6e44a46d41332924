import { useCallback, useEffect, useState } from "preact/hooks";

const IDLE_MS = 5000;
const SIGNS = ["mousemove", "pointerdown", "keydown", "touchstart", "focusin"] as const;

/**
 * Whether the viewer moved, pressed and touched nothing for 5 s.
 * @returns also a function that watches a frame's window too, since events in a frame stay there.
 */
export function useIdle(): [boolean, (frame: Window) => void] {
  const [isIdle, setIdle] = useState(false);
  const [frames, setFrames] = useState<Window[]>([]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wake = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setIdle(true), IDLE_MS);
      setIdle(false);
    };
    const windows = [globalThis.window, ...frames];
    // capturing: noVNC stops the events that it handles
    const options = { capture: true, passive: true };
    for (const each of windows) for (const sign of SIGNS) each.addEventListener(sign, wake, options);
    wake();
    return () => {
      clearTimeout(timer);
      for (const each of windows) for (const sign of SIGNS) each.removeEventListener(sign, wake, options);
    };
  }, [frames]);

  return [isIdle, useCallback((frame: Window) => setFrames([frame]), [])];
}
