/** The order of the table's rows. Pure. */
import { type BoardItem, shownSections } from "../boardItems.ts";
import { STATES } from "../boardState.ts";
import type { Column, TableSort } from "./tableSort.ts";
import type { Heartbeats, StreamStatus } from "../../../lib/model/answers/shapes.ts";

/** The facts that the rows' order depends on, beside the streams. */
export interface TableFacts {
  statuses: Record<string, StreamStatus>;
  heartbeats: Heartbeats;
}

/** "b" after "A", and "Screen 10" after "Screen 9". */
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

/** The value of a row in a column; a row without one comes last, whichever way the rows are sorted. */
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

/** The shown streams in the order of the table's rows. */
export function tableRows(items: readonly BoardItem[], sort: TableSort | undefined, facts: TableFacts) {
  return sorted(shownSections(items).flatMap(({ streams }) => streams), sort, facts);
}
