import { useRef, useState } from "preact/hooks";

/** A row of a list that people edit, with a key that stays the same while other rows come and go. */
export type Keyed<Row> = Row & { key: number };

/**
 * A list in a form whose value is one text in a hidden field. The rows' typed text is written to the field; a text that
 * other code writes there (as a conflict's other side) comes back as rows.
 */
export function useRows<Row extends object>(
  initial: string,
  read: (text: string) => Row[],
  write: (rows: readonly Row[]) => string,
) {
  const field = useRef<HTMLInputElement>(null);
  const nextKey = useRef(0);
  const keyed = (rows: Row[]): Keyed<Row>[] => rows.map((row) => ({ ...row, key: nextKey.current++ }));
  const [text, setText] = useState(initial);
  const [rows, setRows] = useState(() => keyed(read(initial)));
  const written = useRef(initial);

  function set(next: Keyed<Row>[]) {
    setRows(next);
    written.current = write(next);
    field.current!.value = written.current;
    field.current!.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function follow() {
    const { value } = field.current!;
    setText(value);
    if (value !== written.current) setRows(keyed(read(value)));
    written.current = value;
  }

  return {
    hidden: { ref: field, type: "hidden", value: text, onInput: follow } as const,
    rows,
    add: (row: Row) => set([...rows, ...keyed([row])]),
    change: (key: number, changes: Partial<Row>) =>
      set(rows.map((row) => row.key === key ? { ...row, ...changes } : row)),
    remove: (key: number) => set(rows.filter((row) => row.key !== key)),
    /** Moves a row one place up. */
    raise(key: number) {
      const at = rows.findIndex((row) => row.key === key);
      if (at > 0) set([...rows.slice(0, at - 1), rows[at], rows[at - 1], ...rows.slice(at + 1)]);
    },
  };
}
