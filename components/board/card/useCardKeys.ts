import { useEffect, useRef } from "preact/hooks";
import { rememberCard, rememberedCard } from "./boardCard.ts";
import { type Box, nextBox } from "../order/spatial.ts";

/** The elements that the arrow keys lead to: cards, and the names of closed sections. */
const STOPS = ".cards > .card[data-id], .card-section:not([open]) > summary";
/**
 * On a television also the controls above: a remote control has no Tab key. The whole filter is one stop: its field
 * would bring up a keyboard on the screen, and gets the keys by OK.
 */
const TV_STOPS =
  `${STOPS}, .bar :is(a, button), .page-title :is(a, button), .filter, .group-chips a, .table-head button`;
/** The parts of a card that a remote control reaches within it: remedies and actions. On the card itself OK plays. */
const CARD_STOPS = ":is(.card-problem, .card-actions) :is(a, button)";
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
      if (isBack(event) ? closeTopmost() : !isBusy() && act(key, target as Element)) event.preventDefault();
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

export const isTelevision = () => "tv" in document.documentElement.dataset;

const stops = () => isTelevision() ? TV_STOPS : STOPS;

/** Whether a dialog or menu over the board has the keys. */
const isBusy = () => document.querySelector("dialog[open], [role=menu]") !== null;

const isBack = ({ key, keyCode }: KeyboardEvent) => BACK_NAMES.includes(key) || BACK_CODES.includes(keyCode);

/** Closes the topmost dialog or menu over the board. @returns whether there was one. */
function closeTopmost(): boolean {
  const closers = document.querySelectorAll<HTMLElement>(".veil, dialog[open] .dialog-head button");
  closers[closers.length - 1]?.click();
  return closers.length > 0;
}

/** @returns whether the card has the focus now. */
function focusRemembered(): boolean {
  const id = rememberedCard();
  const card = id === null ? null : document.getElementById(`stream-${id}`);
  card?.focus();
  return card !== null && document.activeElement === card;
}

/** The stop's place; the bars' stops stay on top of a scrolled page and count as unscrolled. */
function boxOf(stop: HTMLElement): Box {
  const { left, right, top, bottom } = stop.getBoundingClientRect();
  const aside = stop.closest(".bar, .page-title") ? scrollY : 0;
  return { left, right, top: top - aside, bottom: bottom - aside };
}

/** Moves into a card by down, within it, and out of it by up. @returns whether the focus moved. */
function goWithin(stop: HTMLElement, target: Element, key: string): boolean {
  if (stop.dataset.id === undefined || target === stop && key !== "ArrowDown") return false;
  const all = [...stop.querySelectorAll<HTMLElement>(CARD_STOPS)].filter((one) => one.offsetParent !== null);
  const next = target === stop ? 0 : nextBox(all.map(boxOf), all.findIndex((one) => one === target), key);
  const found = next === null ? undefined : all[next];
  if (!found && key !== "ArrowUp") return false;
  (found ?? stop).focus();
  return true;
}

/** Moves on from a stop; null: to the remembered card, or the first card in view. @returns whether the focus moved. */
function go(stop: HTMLElement | null, key: string): boolean {
  if (stop === null && focusRemembered()) return true;
  const places = stop === null ? STOPS : stops();
  const all = [...document.querySelectorAll<HTMLElement>(places)].filter((one) => one.offsetParent !== null);
  const boxes = all.map(boxOf);
  const next = stop === null
    ? boxes.findIndex(({ top, bottom }) => top >= 0 && bottom <= innerHeight)
    : nextBox(boxes, all.indexOf(stop), key) ?? -1;
  const found = all[next];
  if (!found) return false;
  found.focus();
  if (found.dataset.id !== undefined) rememberCard(found.dataset.id);
  return true;
}
