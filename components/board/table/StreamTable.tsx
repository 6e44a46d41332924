import { useRef } from "preact/hooks";
import { useBoardContext } from "../BoardContext.ts";
import type { BoardItem } from "../boardItems.ts";
import { hasGroups } from "../order/sections.ts";
import { useMoving } from "../order/useMoving.ts";
import { StreamRow } from "./StreamRow.tsx";
import { type Column, COLUMNS, nextSort } from "./tableSort.ts";

/**
 * All shown streams as the rows of one table, sorted by a heading or in the board's order, in which rows can be moved.
 * The roles are written down, since a table that is laid out by other means has none in some browsers.
 */
export function StreamTable({ rows, onDrag }: { rows: readonly BoardItem[]; onDrag: () => void }) {
  const { filter } = useBoardContext();
  const body = useRef<HTMLTableSectionElement>(null);
  const isSorted = filter.current.sort !== undefined;
  const kinds = `streams ${hasGroups(rows) ? "has-groups" : ""}`;
  const keyDown = useMoving(body, rows, onDrag, isSorted);
  return (
    <table class={kinds} role="table" aria-label="Streams">
      <thead role="rowgroup">
        <tr class="table-head" role="row">
          <th scope="col" role="columnheader" class="col-picture">
            <span class="hidden">Picture</span>
          </th>
          {(Object.keys(COLUMNS) as Column[]).map((column) => <Heading key={column} column={column} />)}
          <th scope="col" role="columnheader" class="col-actions">
            <span class="hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody class="cards" role="rowgroup" ref={body} onKeyDown={keyDown}>
        {rows.map(({ stream, ...item }) => <StreamRow key={item.id} stream={stream} item={item} />)}
      </tbody>
    </table>
  );
}

function Heading({ column }: { column: Column }) {
  const { filter } = useBoardContext();
  const { sort } = filter.current;
  const way = sort?.column !== column ? "none" : sort.isDown ? "descending" : "ascending";
  return (
    <th scope="col" role="columnheader" class={`col-${column}`} aria-sort={way}>
      <button type="button" class="quiet" onClick={() => filter.set({ sort: nextSort(sort, column) })}>
        {COLUMNS[column]}
        <span class="sort-way" aria-hidden="true">
          {way === "none" ? "" : way === "ascending" ? "▲" : "▼"}
        </span>
      </button>
    </th>
  );
}
