/** People's changes to a wall's layout: every cell belongs to a slot, and no stream that still fits is lost. Pure. */
import type { StreamId } from "../id.ts";
import { cellsOf, MAX_SIDE, type WallGrid, type WallSlot } from "./layout.ts";

export interface Layout {
  rows: number;
  columns: number;
  slots: WallSlot[];
}

/** The layout with empty slots in all cells without a slot, row by row. */
export function completed({ rows, columns, slots }: WallGrid): Layout {
  const taken = new Set(slots.flatMap((slot) => cellsOf(slot, columns)));
  const empty: WallSlot[] = [];
  for (let row = 1; row <= rows; row++) {
    for (let column = 1; column <= columns; column++) {
      const slot = { row, column, rowSpan: 1, columnSpan: 1, stream: null };
      if (!taken.has(cellsOf(slot, columns)[0])) empty.push(slot);
    }
  }
  const all = [...slots, ...empty].sort((a, b) => a.row - b.row || a.column - b.column);
  return { rows, columns, slots: all };
}

/** Puts streams into the empty slots, in their order. @returns also the streams that did not fit. */
export function filled(
  layout: Layout,
  ids: readonly string[],
): { layout: Layout; left: string[] } {
  const left = ids.filter((id) => !layout.slots.some(({ stream }) => stream === id));
  const slots = layout.slots.map((slot) =>
    slot.stream === null && left.length > 0 ? { ...slot, stream: left.shift() as StreamId } : slot
  );
  return { layout: { ...layout, slots }, left };
}

/** The streams of some slots. */
function streamsOf(slots: readonly WallSlot[]): string[] {
  return slots.flatMap(({ stream }) => stream ?? []);
}

/** The layout with other rows and columns, within the limits. Slots at the edge shrink, or move where room is. */
export function resized(layout: Layout, rows: number, columns: number): Layout {
  const within = (count: number) => Math.max(1, Math.min(MAX_SIDE, count));
  [rows, columns] = [within(rows), within(columns)];
  const isInside = ({ row, column }: WallSlot) => row <= rows && column <= columns;
  const kept = layout.slots.filter(isInside).map((slot) => ({
    ...slot,
    rowSpan: Math.min(slot.rowSpan, rows - slot.row + 1),
    columnSpan: Math.min(slot.columnSpan, columns - slot.column + 1),
  }));
  const displaced = streamsOf(layout.slots.filter((slot) => !isInside(slot)));
  return filled(completed({ rows, columns, slots: kept }), displaced).layout;
}

/** Puts a stream into a slot, or empties the slot. A stream of another slot changes places with the slot's stream. */
export function placed(layout: Layout, at: number, stream: string | null): Layout {
  const from = stream === null ? -1 : layout.slots.findIndex((slot) => slot.stream === stream);
  const there = layout.slots[at].stream;
  const slots = layout.slots.map((slot, index) => {
    if (index === at) return { ...slot, stream: stream as StreamId | null };
    return index === from ? { ...slot, stream: there } : slot;
  });
  return { ...layout, slots };
}

/** The layout with the streams of two slots exchanged. */
export function swapped(layout: Layout, one: number, other: number): Layout {
  const { slots } = layout;
  const next = slots.map((slot, at) => {
    if (at === one) return { ...slot, stream: slots[other].stream };
    return at === other ? { ...slot, stream: slots[one].stream } : slot;
  });
  return { ...layout, slots: next };
}

/** Whether a slot can be so many rows high and columns wide. */
export function canSpan(
  { rows, columns }: Layout,
  slot: WallSlot,
  rowSpan: number,
  columnSpan: number,
): boolean {
  return rowSpan >= 1 && columnSpan >= 1 && slot.row + rowSpan - 1 <= rows &&
    slot.column + columnSpan - 1 <= columns;
}

/** The layout with a slot of another size; covered slots give way, and their streams move to empty slots, if any. */
export function spanned(layout: Layout, at: number, rowSpan: number, columnSpan: number): Layout {
  const before = layout.slots[at];
  if (!canSpan(layout, before, rowSpan, columnSpan)) return layout;
  const { rows, columns } = layout;
  const slot = { ...before, rowSpan, columnSpan };
  const cells = new Set(cellsOf(slot, columns));
  const isCovered = (other: WallSlot) => cellsOf(other, columns).some((cell) => cells.has(cell));
  const others = layout.slots.filter((_, index) => index !== at);
  const kept = others.filter((other) => !isCovered(other));
  const next = completed({ rows, columns, slots: [slot, ...kept] });
  return filled(next, streamsOf(others.filter(isCovered))).layout;
}

/** The index of the slot at a cell, to find the slot again after a change. */
export function slotAt({ slots }: Layout, row: number, column: number): number {
  return slots.findIndex((slot) =>
    row >= slot.row && row < slot.row + slot.rowSpan && column >= slot.column &&
    column < slot.column + slot.columnSpan
  );
}

/** The layout for the file: empty slots are left out unless they are larger than a cell. */
export function stored({ rows, columns, slots }: Layout): Layout {
  const isTold = ({ stream, rowSpan, columnSpan }: WallSlot) =>
    stream !== null || rowSpan > 1 || columnSpan > 1;
  return { rows, columns, slots: slots.filter(isTold) };
}
