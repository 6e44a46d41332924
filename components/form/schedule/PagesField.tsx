import { RowButton } from "./RowButton.tsx";
import { NEW_PAGE, pageRows, pagesText } from "./rows.ts";
import { RowsField, type RowsOfField } from "./RowsField.tsx";
import { useRows } from "./useRows.ts";

/** The pages that take turns with the stream's own. */
export function PagesField({ initial, ...field }: RowsOfField) {
  const { hidden, rows, add, change, remove, raise } = useRows(initial, pageRows, pagesText);
  return (
    <RowsField
      {...field}
      hidden={hidden}
      hint="These pages take turns with the page above. A broken page is skipped."
      addText="Add a page"
      onAdd={() => add(NEW_PAGE)}
    >
      {rows.map(({ key, url, seconds }, index) => (
        <li class="page-row" key={key}>
          <input
            type="text"
            inputMode="url"
            value={url}
            placeholder="https://status.example.org/"
            autocomplete="off"
            spellcheck={false}
            aria-label={`Address of page ${index + 2}`}
            onInput={(event) => change(key, { url: event.currentTarget.value })}
          />
          <input
            type="text"
            inputMode="numeric"
            value={seconds}
            placeholder="seconds"
            autocomplete="off"
            aria-label={`Seconds of page ${index + 2}`}
            onInput={(event) => change(key, { seconds: event.currentTarget.value })}
          />
          <RowButton
            icon="up"
            title="Earlier"
            label={`Show page ${index + 2} earlier`}
            onClick={() => raise(key)}
          />
          <RowButton
            icon="close"
            title="Remove"
            label={`Remove page ${index + 2}`}
            onClick={() => remove(key)}
          />
        </li>
      ))}
    </RowsField>
  );
}
