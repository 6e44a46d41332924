import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type BoardFilter, boardPath } from "./filter.ts";

/** Browsers refuse a page that changes its address more often. */
const ADDRESS_MS = 300;

/** The board's filter, kept in the page's address. @param initial the page's first filter. */
export function useFilter(initial: BoardFilter) {
  const filter = useSignal(initial);
  const current = filter.value;
  useEffect(() => {
    if (current === initial) return;
    const timer = setTimeout(() => history.replaceState(history.state, "", boardPath(current)), ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [current]);
  return {
    current,
    peek: () => filter.peek(),
    isFirst: current === initial,
    set: (change: Partial<BoardFilter>) => filter.value = { ...filter.peek(), ...change },
  };
}

export type Filter = ReturnType<typeof useFilter>;
