import { useEffect } from "preact/hooks";
import { nextBox } from "../board/order/spatial.ts";
import { openWhoMenu, WHO_STOPS } from "./whoMenu.ts";

/** The elements of the header that arrow keys lead to: a remote control has no Tab key. */
const HEADER_STOPS = ".bar :is(a, button, summary)";
/** On the page below it. */
const PAGE_STOPS = "main :is(a, button, input, select, summary):not(:disabled, [tabindex='-1'])";
const FIELDS = "input, select, textarea";
const BACK_NAMES = ["GoBack", "BrowserBack", "XF86Back"];

interface ArrowKeys {
  /** The elements of the page that the arrow keys lead to. */
  stops: string;
  /** Whether a keyboard has them, too. */
  isForAll: boolean;
}

/** Lets arrow keys lead from one control of the page to the next, by their places on the screen. */
export function useArrowKeys({ stops, isForAll }: ArrowKeys): void {
  useEffect(() => {
    function keyDown(event: KeyboardEvent) {
      const { key, target, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (event.defaultPrevented || ctrlKey || metaKey || altKey || shiftKey) return;
      if (!isForAll && !("tv" in document.documentElement.dataset)) return;
      if (document.querySelector("dialog[open]")) return;
      const menu = openWhoMenu();
      if (menu && BACK_NAMES.includes(key)) {
        menu.hidePopover();
        event.preventDefault();
        return;
      }
      if (!key.startsWith("Arrow")) return;
      const element = target as HTMLElement;
      // within the text, or among the choices
      if (element.matches(FIELDS) && (key === "ArrowLeft" || key === "ArrowRight")) return;
      const all = [
        ...document.querySelectorAll<HTMLElement>(menu ? WHO_STOPS : `${HEADER_STOPS}, ${stops}`),
      ].filter((one) => one.offsetParent !== null);
      const from = all.indexOf(element);
      if (from < 0 && element !== document.body) return;
      const next = from < 0
        ? all.findIndex((one) => !one.closest(".bar"))
        : nextBox(all.map((stop) => stop.getBoundingClientRect()), from, key) ?? -1;
      if (next < 0) return;
      event.preventDefault();
      all[next].focus();
    }
    addEventListener("keydown", keyDown);
    return () => removeEventListener("keydown", keyDown);
  }, []);
}

/** On a television, lets arrow keys lead to all controls of the page. */
export function useTvKeys(): void {
  useArrowKeys({ stops: PAGE_STOPS, isForAll: false });
}
