/** The order of the table's rows. Pure. */
import type { BoardItem } from "../boardItems.ts";
import { STATES } from "../boardState.ts";
import type { Heartbeats, StreamStatus } from "../../../lib/model/answers/shapes.ts";

/** The columns that rows are sorted by, with the words of their headings. */
export const COLUMNS = {
  name: "Name",
  group: "Group",
  state: "State",
  page: "Page or reason",
  day: "24 hours",
} as const;

export type Column = keyof typeof COLUMNS;

export interface TableSort {
  column: Column;
  /** Whether the greatest comes first. */
  isDown: boolean;
}

/** The sorting of an address: "state", or "-state" for the greatest first; undefined: none. */
export function sortOf(text: string | null): TableSort | undefined {
  const [, minus, column] = /^(-?)(\w+)$/.exec(text ?? "") ?? [];
  return Object.hasOwn(COLUMNS, column ?? "")
    ? { column: column as Column, isDown: minus === "-" }
    : undefined;
}

export const sortText = ({ column, isDown }: TableSort) => (isDown ? "-" : "") + column;

/** The sorting after a press of a heading: the least first, then the greatest, then the board's own order again. */
export function nextSort(sort: TableSort | undefined, column: Column): TableSort | undefined {
  if (sort?.column !== column) return { column, isDown: false };
  return sort.isDown ? undefined : { column, isDown: true };
}

/** What the rows' order depends on, beside the streams. */
export interface TableFacts {
  statuses: Record<string, StreamStatus>;
  heartbeats: Heartbeats;
}

/** "b" after "A", and "Screen 10" after "Screen 9". */
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** The value of a row in a column; what has none comes last, whichever way the rows are sorted. */
function valueOf(
  item: BoardItem,
  column: Column,
  { statuses, heartbeats }: TableFacts,
): string | number | null {
  const { id, name, group, state, stream } = item;
  const status = Object.hasOwn(statuses, id) ? statuses[id] : undefined;
  switch (column) {
    case "name":
      return name;
    case "group":
      return group.trim() || null;
    case "state":
      return STATES.indexOf(state);
    case "page":
      return status?.reason || status?.noRoom || (stream?.url.replace(/^https?:\/\//i, "") ?? null);
    case "day":
      return heartbeats.streams[id]?.goodPercent ?? null;
  }
}

/** The items in the order of a column; equal ones stay in the board's order, which is that without a sorting. */
export function sorted(
  items: readonly BoardItem[],
  sort: TableSort | undefined,
  facts: TableFacts,
): readonly BoardItem[] {
  if (!sort) return items;
  const rows = items.map((item) => ({ item, value: valueOf(item, sort.column, facts) }));
  const way = sort.isDown ? -1 : 1;
  rows.sort(({ value: one }, { value: other }) => {
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return way * (typeof one === "number" ? one - Number(other) : collator.compare(one, String(other)));
  });
  return rows.map(({ item }) => item);
}
