import { useEffect, useRef } from "preact/hooks";
import { openWhoMenu } from "../../header/whoMenu.ts";
import { rememberCard, rememberedCard } from "./boardCard.ts";
import { focusRemembered, go, goInDialog, goWithin, isTelevision, stops } from "./arrowStops.ts";

const FIELDS = "input, textarea, select";
const ALONG = ["ArrowLeft", "ArrowRight"];
const ARROWS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];
const BACK_NAMES = ["GoBack", "BrowserBack", "XF86Back"];
/** The key codes of televisions that give no name: webOS, Tizen. */
const BACK_CODES = [461, 10009];
/** The context menu's event comes with the Menu key, or with its release. */
const MENU_KEY_MS = 1000;

/**
 * The board under a remote control: arrow keys go from card to card, OK plays, the Menu key and M open More. Back
 * closes the dialog or menu over the board. On a television, which has no Tab key, down leads into a card. @param isWhole whether all cards are there.
 */
export function useCardKeys(openMenu: (id: string) => void, isReady: boolean, isWhole: boolean): void {
  const isRestored = useRef(false);
  const menuKeyAt = useRef(-Infinity);

  useEffect(() => {
    if (!isReady || isRestored.current) return;
    isRestored.current = document.activeElement !== document.body || focusRemembered();
  }, [isReady, isWhole]);

  useEffect(() => {
    function keyDown(event: KeyboardEvent) {
      const { key, target } = event;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      const element = target as Element;
      const isDone = isBack(event) ? closeTopmost() : isBusy() ? choose(key, element) : act(key, element);
      if (isDone) event.preventDefault();
    }

    /** Within a dialog. @returns whether the key did something. */
    function choose(key: string, target: Element): boolean {
      const isField = target.matches(FIELDS) && ALONG.includes(key);
      return isTelevision() && ARROWS.includes(key) && !isField && goInDialog(target, key);
    }

    /** @returns whether the key did something. */
    function act(key: string, target: Element): boolean {
      const stop = target.closest<HTMLElement>(stops());
      if (ARROWS.includes(key)) {
        // the arrows move within the field's text
        if (target.matches(FIELDS) && ALONG.includes(key)) return false;
        const isNowhere = target === document.body || isTelevision() && !target.matches(FIELDS);
        if (stop && isTelevision() && goWithin(stop, target, key)) return true;
        return stop || isNowhere ? go(stop, key) : false;
      }
      if (key === "Enter" && stop?.matches(".filter")) {
        // OK leads into the field and out again
        (target === stop ? stop.querySelector("input")! : stop).focus();
        return true;
      }
      const id = stop?.dataset.id;
      if (id === undefined) return false;
      if (key === "Enter") {
        rememberCard(id);
        if (target === stop) stop.querySelector<HTMLElement>(".thumbnail")!.click();
        return target === stop;
      }
      if (key !== "ContextMenu" && key.toLowerCase() !== "m") return false;
      menuKeyAt.current = performance.now();
      openMenu(id);
      return true;
    }

    function contextMenu(event: Event) {
      if (performance.now() - menuKeyAt.current < MENU_KEY_MS) event.preventDefault();
    }

    // the player may have changed to another channel
    function returned({ persisted }: PageTransitionEvent) {
      if (persisted && rememberedCard() !== null) focusRemembered();
    }

    addEventListener("keydown", keyDown);
    addEventListener("contextmenu", contextMenu);
    addEventListener("pageshow", returned);
    return () => {
      removeEventListener("keydown", keyDown);
      removeEventListener("contextmenu", contextMenu);
      removeEventListener("pageshow", returned);
    };
  }, [openMenu]);
}

/** Whether a dialog or menu over the board has the keys. */
const isBusy = () => document.querySelector("dialog[open], [role=menu]") !== null;

const isBack = ({ key, keyCode }: KeyboardEvent) => BACK_NAMES.includes(key) || BACK_CODES.includes(keyCode);

/** Closes the topmost dialog or menu over the board. @returns whether there was one. */
function closeTopmost(): boolean {
  const who = openWhoMenu();
  who?.hidePopover();
  if (who) return true;
  const closers = document.querySelectorAll<HTMLElement>(".veil, dialog[open] .dialog-head button");
  closers[closers.length - 1]?.click();
  return closers.length > 0;
}
