import { useEffect } from "preact/hooks";
import type { Rewind } from "./rewindState.ts";

const FOCUSABLE = "a[href], button:not(:disabled), summary, input, [tabindex='0']";
const BACK_NAMES = ["GoBack", "BrowserBack", "XF86Back"];
/** The key codes of televisions that give no name: webOS, Tizen. */
const BACK_CODES = [461, 10009];

/** The keys of a keyboard, and of a television's remote, where up and down go from control to control. */
export function useRewindKeys(rewind: Rewind, fullScreen: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, shiftKey, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const dialog = (target as Element).closest("dialog");
      if (dialog) return pressInDialog(event, dialog);
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

/** A dialog has its keys: only a television's remote needs help. */
function pressInDialog(event: KeyboardEvent, dialog: HTMLDialogElement): void {
  if (BACK_NAMES.includes(event.key) || BACK_CODES.includes(event.keyCode)) dialog.close();
  else if (!isTelevision()) return;
  else if (event.key === "ArrowUp") moveFocus(-1, dialog);
  else if (event.key === "ArrowDown") moveFocus(1, dialog);
  // OK would send the form
  else if (event.key === "Enter" && (event.target as Element).matches("[type=radio]")) {
    (event.target as HTMLElement).click();
  } else return;
  event.preventDefault();
}

const isTelevision = () => document.documentElement.dataset.tv !== undefined;

function actionOf(rewind: Rewind, key: string, isShift: boolean, fullScreen: () => void) {
  const isTv = isTelevision();
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

function moveFocus(by: 1 | -1, within: ParentNode = document): void {
  const all = [...within.querySelectorAll<HTMLElement>(FOCUSABLE)].filter((one) =>
    one.checkVisibility?.() ?? one.offsetParent !== null
  );
  const at = all.indexOf(document.activeElement as HTMLElement);
  all[Math.max(0, Math.min(all.length - 1, at + by))]?.focus();
}
