import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Options, SortableEvent } from "sortablejs";
import { ignoreClick } from "../board/order/useSorting.ts";

/** The time that a finger rests on a stream before it drags; sooner the finger scrolls the page. */
const LONG_PRESS_MS = 250;

interface Drops {
  onPlace: (stream: string, slot: number) => void;
  onSwap: (from: number, to: number) => void;
}

/**
 * Streams are dragged from the list into slots, and from slot to slot. The dragged element is put back where Preact
 * rendered it: only the drop is reported. @param geometry differs whenever there are other slots.
 */
export function useWallDrag(editor: RefObject<HTMLElement>, geometry: string, drops: Drops): void {
  const latest = useRef(drops);
  latest.current = drops;

  useEffect(() => {
    let isOver = false;
    const ends: (() => void)[] = [];
    import("../board/order/sortable.ts").then(({ default: Sortable }) => {
      if (isOver || !editor.current) return;
      const own = (selector: string, options: Options) => {
        for (const element of editor.current!.querySelectorAll<HTMLElement>(selector)) {
          const sortable = Sortable.create(element, { ...common(latest), ...options });
          ends.push(() => sortable.destroy());
        }
      };
      own("[data-streams]", {
        draggable: "[data-stream]",
        group: { name: "wall", pull: "clone", put: false },
      });
      own("[data-slot]", { draggable: ".is-set", group: { name: "wall", pull: true, put: true } });
    }).catch(() => {}); // keys also place streams
    return () => {
      isOver = true;
      for (const end of ends) end();
    };
  }, [geometry]);
}

function common(drops: { current: Drops }): Options {
  let next: Element | null = null;
  return {
    sort: false,
    ghostClass: "is-ghost",
    fallbackClass: "is-dragged",
    // The browser's own drag and drop ignores fingers.
    forceFallback: true,
    fallbackOnBody: true,
    fallbackTolerance: 4,
    delay: LONG_PRESS_MS,
    delayOnTouchOnly: true,
    touchStartThreshold: 8,
    onStart: ({ item }) => void (next = item.nextElementSibling),
    onEnd({ item, from, to, clone, pullMode }: SortableEvent) {
      ignoreClick();
      if (pullMode === "clone" && clone.parentNode) clone.replaceWith(item);
      else from.insertBefore(item, next?.parentNode === from ? next : null);
      const slot = Number(to.dataset.slot);
      if (to === from || !Number.isInteger(slot)) return;
      if (from.dataset.slot !== undefined) drops.current.onSwap(Number(from.dataset.slot), slot);
      else drops.current.onPlace(item.dataset.stream!, slot);
    },
  };
}
