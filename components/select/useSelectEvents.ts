import { useRef } from "preact/hooks";
import { mayDo } from "../client/mayDo.ts";
import type { CardSelection } from "./useSelection.ts";

/** The time after which a resting finger selects a card. */
const LONG_PRESS_MS = 500;
/** A finger that moves less than this counts as resting. */
const TREMBLE_PX = 8;

/**
 * The elements with an action of their own for a click or a long press; the words of a problem can be marked. A card's
 * name is as its picture: a place to select the card as well.
 */
const CONTROLS = ".card a:not(h2 > a, .thumbnail), .card-problem, button, .grip";

/**
 * Selects cards: a click with Shift, or with Ctrl or Cmd beside the card's links, a long press, and any click while some
 * are selected.
 * @returns the handlers of the element around the cards, and a function for a drag that a long press has begun.
 */
export function useSelectEvents(selection: CardSelection) {
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const start = useRef({ x: 0, y: 0 });
  /** Whether a long press has selected, and its finger is still down. */
  const isPressed = useRef(false);
  const latest = useRef(selection);
  latest.current = selection;

  const stopWaiting = () => clearTimeout(timer.current);

  function onPointerDown(event: PointerEvent) {
    stopWaiting();
    isPressed.current = false;
    const id = event.pointerType === "touch" ? cardAt(event) : null;
    if (id === null) return;
    start.current = { x: event.clientX, y: event.clientY };
    timer.current = setTimeout(() => {
      isPressed.current = true;
      latest.current.pick(id, false);
    }, LONG_PRESS_MS);
  }

  function onPointerMove({ clientX, clientY }: PointerEvent) {
    const { x, y } = start.current;
    if (Math.hypot(clientX - x, clientY - y) > TREMBLE_PX) stopWaiting();
  }

  function onClickCapture(event: MouseEvent) {
    const id = cardAt(event);
    const wasPressed = isPressed.current;
    isPressed.current = false;
    const isCommand = event.ctrlKey || event.metaKey;
    // browsers open a link in another tab by these
    const isNewTab = isCommand && (event.target as Element).closest("a[href]") !== null;
    const isMeant = event.shiftKey || isCommand || selection.isOn;
    if (id === null || (!wasPressed && (!isMeant || isNewTab))) return;
    event.preventDefault();
    event.stopPropagation();
    if (!wasPressed) selection.pick(id, event.shiftKey);
  }

  return {
    handlers: {
      onPointerDown,
      onPointerMove,
      onPointerUp: stopWaiting,
      onPointerCancel: stopWaiting,
      onClickCapture,
      // after a long press a browser would open its menu for links
      onContextMenu: (event: MouseEvent) => {
        if ((event as PointerEvent).pointerType === "touch" && cardAt(event) !== null) event.preventDefault();
      },
      // Shift selects cards, not text
      onMouseDown: (event: MouseEvent) => {
        if (event.shiftKey && cardAt(event) !== null) event.preventDefault();
      },
    },
    /** Takes the selection back: the long press was the beginning of a drag. */
    dragged: () => {
      stopWaiting();
      if (isPressed.current) latest.current.undo();
      isPressed.current = false;
    },
  };
}

/** The id of the card that the event is on; null on its controls, and for people who may not change streams. */
function cardAt({ target }: Event): string | null {
  if (!(target instanceof Element) || target.closest(CONTROLS) || !mayDo("operator")) return null;
  return target.closest<HTMLElement>(".card[data-id]")?.dataset.id ?? null;
}
