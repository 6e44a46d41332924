/** The column and direction that the table is sorted by, and their form in the page's address. Pure. */

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
