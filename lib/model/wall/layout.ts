/** Where the slots of a wall are. Without its schema, so that pages need not load that. Pure. */
import type { StreamId } from "../id.ts";

export { wallAddress, wallOfAddress } from "../../net/wall_address.ts";

/** A page plays up to MAX_SIDE * MAX_SIDE streams; more than that no client can decode. */
export const MAX_SIDE = 6;

/** The wall that nobody made: all streams that run. No stored one has its id. */
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

/** The cells of a slot, numbered row by row. @param columns of the wall. */
export function cellsOf({ row, column, rowSpan, columnSpan }: WallSlot, columns: number): number[] {
  const cells: number[] = [];
  for (let down = 0; down < rowSpan; down++) {
    for (let right = 0; right < columnSpan; right++) {
      cells.push((row - 1 + down) * columns + column - 1 + right);
    }
  }
  return cells;
}
