/** Where the arrow keys of a keyboard or a remote control lead on the board. */
import { rememberCard, rememberedCard } from "./boardCard.ts";
import { openWhoMenu, WHO_STOPS } from "../../header/whoMenu.ts";
import { type Box, nextBox, underlaid } from "../order/spatial.ts";

/** The elements that the arrow keys lead to: cards, and the names of closed sections. */
const STOPS = ".cards > .card[data-id], .card-section:not([open]) > summary";
/** Where a television begins. Its remote control has no Tab key, so the empty board's field is one of them. */
const TV_STARTS = `${STOPS}, #add-address`;
/** The buttons of the lines at the page's lower edge: Undo, Dismiss. */
const TOASTS = ".toasts.is-low button";
/**
 * On a television also the controls above, and toasts' buttons. The whole filter is one stop: its field would bring up a
 * keyboard on the screen, and gets the keys by OK.
 */
const TV_STOPS =
  `${TV_STARTS}, .bar :is(a, button, summary), .page-title :is(a, button), .filter, .group-chips a, .table-head button, ` +
  `.nothing-found a, ${TOASTS}`;
/** The parts of a card that a remote control reaches within it: remedies and actions. On the card itself OK plays. */
const CARD_STOPS = ":is(.card-problem, .card-actions) :is(a, button)";
/** The parts of an open dialog that a remote control reaches; a part in a closed section has a box, but takes no focus. */
const DIALOG_STOPS =
  ":is(a, button, input, select, textarea, summary):not(:disabled, details:not([open]) > :not(summary) *)";

/** Longer than any dialog: parts that stay while a dialog's middle is scrolled are taken for that far above or below it. */
const FAR_PX = 100_000;

export const isTelevision = () => "tv" in document.documentElement.dataset;

export const stops = () => isTelevision() ? TV_STOPS : STOPS;

/** @returns whether the card has the focus now. */
export function focusRemembered(): boolean {
  const id = rememberedCard();
  const card = id === null ? null : document.getElementById(`stream-${id}`);
  card?.focus();
  return card !== null && document.activeElement === card;
}

/** The stop's place; the bars stay on top of a scrolled page, so their stops have their place in an unscrolled one. */
function boxOf(stop: HTMLElement): Box {
  const { left, right, top, bottom } = stop.getBoundingClientRect();
  const aside = stop.closest(".bar, .page-title")
    ? -scrollY
    : stop.closest(".dialog-head")
    ? -FAR_PX
    : stop.closest(".dialog-actions")
    ? FAR_PX
    : 0;
  return { left, right, top: top + aside, bottom: bottom + aside };
}

/** Moves into a card by down, within it, and out of it by up. @returns whether the focus moved. */
export function goWithin(stop: HTMLElement, target: Element, key: string): boolean {
  if (stop.dataset.id === undefined || target === stop && key !== "ArrowDown") return false;
  const all = shown(stop, CARD_STOPS);
  const next = target === stop ? 0 : nextBox(all.map(boxOf), all.findIndex((one) => one === target), key);
  const found = next === null ? undefined : all[next];
  if (!found && key !== "ArrowUp") return false;
  (found ?? stop).focus();
  return true;
}

/** Moves on from a stop; null: to the remembered card, or the first card in view. @returns whether the focus moved. */
export function go(stop: HTMLElement | null, key: string): boolean {
  if (stop === null && focusRemembered()) return true;
  const starts = isTelevision() ? TV_STARTS : STOPS;
  const places = openWhoMenu() ? WHO_STOPS : stops();
  const all = shown(document, stop === null ? starts : places);
  const boxes = underlaid(all.map(boxOf), all.map((one) => one.matches(TOASTS)), innerHeight);
  const next = stop === null
    ? boxes.findIndex(({ top, bottom }) => top >= 0 && bottom <= innerHeight)
    : nextBox(boxes, all.indexOf(stop), key) ?? -1;
  const found = all[next];
  if (!found) return false;
  found.focus();
  if (found.dataset.id !== undefined) rememberCard(found.dataset.id);
  return true;
}

/** Moves from control to control of the dialog around an element. @returns whether the focus moved. */
export function goInDialog(target: Element, key: string): boolean {
  const dialog = target.closest("dialog");
  if (!dialog) return false;
  const all = shown(dialog, DIALOG_STOPS);
  const at = all.findIndex((one) => one === target);
  const found = all[at < 0 ? 0 : nextBox(all.map(boxOf), at, key) ?? -1];
  found?.focus();
  return found !== undefined;
}

const shown = (within: ParentNode, places: string) =>
  [...within.querySelectorAll<HTMLElement>(places)].filter((one) => one.offsetParent !== null);
