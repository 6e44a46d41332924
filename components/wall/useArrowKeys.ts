import { useEffect } from "preact/hooks";
import { nextBox } from "../board/order/spatial.ts";

/** The elements that arrow keys lead to: a remote control has no Tab key. */
const STOPS = ".bar :is(a, button), .walls :is(.button, button)";

/** Lets arrow keys lead from button to button of the list of walls, by the buttons' places on the screen. */
export function useArrowKeys(): void {
  useEffect(() => {
    function keyDown(event: KeyboardEvent) {
      const { key, target, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (event.defaultPrevented || ctrlKey || metaKey || altKey || shiftKey || !key.startsWith("Arrow")) {
        return;
      }
      const all = [...document.querySelectorAll<HTMLElement>(STOPS)];
      const from = all.indexOf(target as HTMLElement);
      if (document.querySelector("dialog[open]") || (from < 0 && target !== document.body)) return;
      const first = all.findIndex((stop) => stop.closest(".walls"));
      const next = from < 0
        ? first
        : nextBox(all.map((stop) => stop.getBoundingClientRect()), from, key) ?? -1;
      if (next < 0) return;
      event.preventDefault();
      all[next].focus();
    }
    addEventListener("keydown", keyDown);
    return () => removeEventListener("keydown", keyDown);
  }, []);
}
