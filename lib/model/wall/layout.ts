/** The places of a wall's slots, without the schema, so that pages need not load the schema. Pure. */
import type { StreamId } from "../id.ts";

export { wallAddress, wallOfAddress } from "../../reach/wall_address.ts";

/** A page plays up to MAX_SIDE * MAX_SIDE streams; no client can decode more. */
export const MAX_SIDE = 6;

/** The id of the built-in wall of all running streams. No stored wall has this id. */
export const RUNNING_WALL = "running";

export interface WallSlot {
  /** From 1. */
  row: number;
  column: number;
  rowSpan: number;
  columnSpan: number;
  /** The stream's id; null for a slot that shows nothing. */
  stream: StreamId | null;
}

/** The part of a wall that its slots have to fit into. */
export interface WallGrid {
  rows: number;
  columns: number;
  slots: readonly WallSlot[];
}

/** The cells of a slot, numbered row by row. @param columns the wall's columns. */
export function cellsOf({ row, column, rowSpan, columnSpan }: WallSlot, columns: number): number[] {
  const cells: number[] = [];
  for (let down = 0; down < rowSpan; down++) {
    for (let right = 0; right < columnSpan; right++) {
      cells.push((row - 1 + down) * columns + column - 1 + right);
    }
  }
  return cells;
}
