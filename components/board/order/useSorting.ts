import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Options, SortableEvent } from "sortablejs";
import { mayDo } from "../../client/mayDo.ts";

/** The time that a finger rests on a thumbnail before it drags; sooner the finger scrolls the page. */
const LONG_PRESS_MS = 300;
/** A finger that moves less than this counts as resting. */
const TREMBLE_PX = 8;
const ANIMATION_MS = 160;

interface Sorting {
  /** Called at a drag's start and end: in between only the drag may move the list's elements. */
  onDrag: (isDragging: boolean) => void;
  onDrop: (id: string, position: number) => void;
}

/**
 * Cards move by mouse on their thumbnail, by finger on the grip at once or on the thumbnail after a short rest. The
 * library, a quarter of the board's scripts, is fetched when a pointer comes to the list.
 */
export function useSorting(list: RefObject<HTMLElement>, hasCards: boolean, sorting: Sorting): void {
  const latest = useRef(sorting);
  latest.current = sorting;

  useEffect(() => {
    const element = list.current;
    if (!hasCards || !element || !mayDo("operator")) return;
    let isOver = false;
    let end = () => {};
    /** The press that holds the list while the library comes. */
    let press: PointerEvent | null = null;
    const hold = (event: PointerEvent) => press = event;
    const release = () => press = null;
    const watch = new AbortController();
    const { signal } = watch;

    let isLoading = false;
    async function load() {
      if (isLoading) return;
      isLoading = true;
      // without it the cards' menu moves them
      const library = await import("./sortable.ts").catch(() => null);
      isLoading = false;
      if (isOver || !library) return;
      watch.abort();
      const sortable = library.default.create(element!, sortableOptions(latest));
      end = () => sortable.destroy();
      // a finger's first touch comes with its press
      press?.target?.dispatchEvent(new PointerEvent(press.type, press));
    }

    element.addEventListener("pointerover", load, { signal });
    element.addEventListener("pointerdown", hold, { signal });
    for (const type of ["pointerup", "pointercancel"]) addEventListener(type, release, { signal });
    return () => {
      isOver = true;
      watch.abort();
      end();
      // a drag that is interrupted calls no onEnd
      latest.current.onDrag(false);
    };
  }, [hasCards]);
}

function sortableOptions(sorting: { current: Sorting }): Options {
  let next: Element | null = null;
  return {
    draggable: ".card",
    handle: ".screen, .grip",
    ghostClass: "is-placeholder",
    fallbackClass: "is-dragged",
    animation: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : ANIMATION_MS,
    // The browser's own drag and drop ignores fingers and shows links as addresses.
    forceFallback: true,
    fallbackOnBody: true,
    fallbackTolerance: 4,
    delayOnTouchOnly: true,
    touchStartThreshold: TREMBLE_PX,
    preventOnFilter: false,
    filter(event) {
      const isOnGrip = (event.target as Element).closest(".grip") !== null;
      // Sortable reads the delay at each touch, right after this filter.
      this.option("delay", isOnGrip ? 0 : LONG_PRESS_MS);
      return (event.target as Element).closest(".card-problem :is(a, button, input)") !== null;
    },
    onStart({ item }) {
      next = item.nextElementSibling;
      sorting.current.onDrag(true);
    },
    onEnd({ item, from }: SortableEvent) {
      sorting.current.onDrag(false);
      ignoreClick();
      const position = [...from.children].indexOf(item);
      if (position < 0) return; // the card is gone
      // Preact moves the element itself, so the element must be where Preact rendered it.
      from.insertBefore(item, next?.parentNode === from ? next : null);
      sorting.current.onDrop(item.dataset.id!, position);
    },
  };
}

/** Releasing the mouse after a drag makes a click, which must do nothing. */
export function ignoreClick(): void {
  const ignore = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener("click", ignore, { capture: true, once: true });
  setTimeout(() => removeEventListener("click", ignore, { capture: true }), 50);
}
