import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { extended, NOTHING, picked, type Selection, together } from "./selection.ts";

/** The selected cards among the shown cards, so that no command touches a hidden card. @param shown in order. */
export function useSelection(shown: readonly string[]) {
  const selection = useSignal(NOTHING);
  const before = useRef<Selection>(NOTHING);
  const visible = useRef(shown);
  visible.current = shown;
  const ids = shown.filter((id) => selection.value.ids.includes(id));

  function set(next: Selection) {
    before.current = selection.peek();
    selection.value = next;
  }

  return {
    ids,
    isOn: ids.length > 0,
    /** The number of cards that can be selected. */
    shown: shown.length,
    has: (id: string) => ids.includes(id),
    pick: (id: string, isRange: boolean) =>
      set(isRange ? extended(selection.peek(), id, visible.current) : picked(selection.peek(), id)),
    /** Takes these cards in, or out if all are in. */
    pickTogether: (these: readonly string[]) => set(together(selection.peek(), these)),
    pickAll: () => set({ ids: visible.current, anchor: selection.peek().anchor }),
    /** Takes the last pick back. */
    undo: () => selection.value = before.current,
    /** @returns the card that was picked last. */
    end: () => {
      const { anchor } = selection.peek();
      set(NOTHING);
      return anchor;
    },
  };
}

export type CardSelection = ReturnType<typeof useSelection>;
