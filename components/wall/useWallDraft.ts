import { useState } from "preact/hooks";
import type { Wall } from "../../lib/model/wall/wall.ts";
import {
  canSpan,
  completed,
  filled,
  type Layout,
  placed,
  resized,
  slotAt,
  spanned,
  stored,
  swapped,
} from "../../lib/model/wall/edit.ts";

/** The layout of a new wall. */
const EMPTY: Layout = completed({ rows: 2, columns: 2, slots: [] });

/** A wall under edit, and the chosen slot. */
export function useWallDraft(wall: Wall | null) {
  const first = wall ? completed(wall) : EMPTY;
  const [layout, setLayout] = useState(first);
  const [chosen, setChosen] = useState(0);
  const [showNames, setShowNames] = useState(wall?.showNames ?? true);
  const slot = layout.slots[chosen];

  /** Changes the layout. The chosen slot stays if it is still there. */
  function change(next: Layout) {
    setLayout(next);
    setChosen(Math.max(0, slotAt(next, slot.row, slot.column)));
  }

  function span(rowSpan: number, columnSpan: number) {
    change(spanned(layout, chosen, rowSpan, columnSpan));
  }

  return {
    layout,
    chosen,
    slot,
    showNames,
    setShowNames,
    choose: setChosen,
    span,
    canSpan: (rowSpan: number, columnSpan: number) => canSpan(layout, slot, rowSpan, columnSpan),
    resize: (rows: number, columns: number) => change(resized(layout, rows, columns)),
    place: (at: number, stream: string | null) => setLayout(placed(layout, at, stream)),
    swap: (one: number, other: number) => setLayout(swapped(layout, one, other)),
    /** Puts a stream into the chosen slot, and chooses the next empty slot. */
    placeNext(stream: string) {
      const next = placed(layout, chosen, stream);
      setLayout(next);
      const empty = next.slots.findIndex((other, at) => at > chosen && other.stream === null);
      if (empty >= 0) setChosen(empty);
    },
    /** @returns the number of streams that did not fit. */
    fill(ids: readonly string[]): number {
      const { layout: next, left } = filled(layout, ids);
      setLayout(next);
      return left.length;
    },
    /** The fields of the wall that are stored. */
    fields: () => ({ ...stored(layout), showNames }),
    isChanged: () =>
      showNames !== (wall?.showNames ?? true) ||
      JSON.stringify(stored(layout)) !== JSON.stringify(stored(first)),
  };
}

export type WallDraft = ReturnType<typeof useWallDraft>;
