import { useEffect } from "preact/hooks";
import type { Rewind } from "./rewindState.ts";

const FOCUSABLE = "a[href], button:not(:disabled), summary, [tabindex='0']";

/** The keys of a keyboard, and of a television's remote, where up and down go from control to control. */
export function useRewindKeys(rewind: Rewind, fullScreen: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, shiftKey, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const control = (target as Element).closest("a, button, summary");
      const isOwn = (key === " " || key === "Enter") && control;
      const action = isOwn ? undefined : actionOf(rewind, key, shiftKey, fullScreen);
      if (!action) return;
      event.preventDefault();
      action();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

function actionOf(rewind: Rewind, key: string, isShift: boolean, fullScreen: () => void) {
  const isTv = document.documentElement.dataset.tv !== undefined;
  switch (key.length === 1 ? key.toLowerCase() : key) {
    case "ArrowLeft":
      return () => void (isShift ? rewind.move(-60) : rewind.step(true));
    case "ArrowRight":
      return () => void (isShift ? rewind.move(60) : rewind.step(false));
    case "ArrowUp":
      return isTv ? () => moveFocus(-1) : undefined;
    case "ArrowDown":
      return isTv ? () => moveFocus(1) : undefined;
    case "Home":
    case "l":
      return () => rewind.go(null);
    case " ":
    case "Enter":
    case "MediaPlayPause":
      return () => rewind.toggle();
    case "+":
    case "=":
      return () => rewind.zoomBy(1);
    case "-":
      return () => rewind.zoomBy(-1);
    case "c":
      return () => rewind.toggleFrames();
    case "b":
      return () => void rewind.showBefore(!rewind.isBefore.value);
    case "f":
      return fullScreen;
  }
}

function moveFocus(by: 1 | -1): void {
  const all = [...document.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((one) =>
    one.checkVisibility?.() ?? one.offsetParent !== null
  );
  const at = all.indexOf(document.activeElement as HTMLElement);
  all[Math.max(0, Math.min(all.length - 1, at + by))]?.focus();
}
