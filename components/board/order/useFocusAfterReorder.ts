import { useLayoutEffect, useRef } from "preact/hooks";

/** Gives an element its focus back when `order` has changed: a move in the document takes the focus away. */
export function useFocusAfterReorder(order: string): void {
  const last = useRef(order);
  const focused = useRef<HTMLElement | null>(null);
  if (last.current !== order) {
    last.current = order;
    focused.current = document.activeElement as HTMLElement | null;
  }
  useLayoutEffect(() => {
    const element = focused.current;
    focused.current = null;
    if (!element?.isConnected || document.activeElement === element) return;
    element.focus({ preventScroll: true });
    element.closest(".card")?.scrollIntoView({ block: "nearest" });
  }, [order]);
}
