import { WEEKDAYS } from "../../../lib/model/plan/plan.ts";
import { RowButton } from "./RowButton.tsx";
import { NEW_TIME, planRows, planText } from "./rows.ts";
import { RowsField, type RowsOfField } from "./RowsField.tsx";
import { useRows } from "./useRows.ts";

/** The times of the week when the stream is on the air. */
export function PlanField({ initial, ...field }: RowsOfField) {
  const { hidden, rows, add, change, remove, raise } = useRows(initial, planRows, planText);
  return (
    <RowsField
      {...field}
      hidden={hidden}
      hint="Without a time, the stream is always on the air. A time with an address shows that page alone. If two times overlap, the upper one counts."
      addText="Add a time"
      onAdd={() => add(NEW_TIME)}
    >
      {rows.map(({ key, days, from, to, url, isDated, first, last }, index) => (
        <li class="time-row" key={key}>
          <div class="days">
            {WEEKDAYS.map((name, day) => (
              <button
                type="button"
                key={name}
                aria-pressed={days[day]}
                aria-label={`${name}, time ${index + 1}`}
                onClick={() => change(key, { days: days.map((isOn, at) => at === day ? !isOn : isOn) })}
              >
                {name}
              </button>
            ))}
          </div>
          <div class="times">
            <input
              type="time"
              value={from}
              aria-label={`Time ${index + 1} begins`}
              onInput={(event) => change(key, { from: event.currentTarget.value })}
            />
            <span>to</span>
            <input
              type="time"
              value={to}
              aria-label={`Time ${index + 1} ends`}
              onInput={(event) => change(key, { to: event.currentTarget.value })}
            />
            {isOverMidnight(from, to) && <span class="hint">the next day</span>}
            <button
              type="button"
              class="small quiet"
              aria-expanded={isDated}
              aria-label={isDated
                ? `On all dates, time ${index + 1}`
                : `Only on some dates, time ${index + 1}`}
              onClick={() => change(key, { isDated: !isDated })}
            >
              {isDated ? "On all dates" : "Only on some dates…"}
            </button>
          </div>
          {isDated && (
            <div class="times">
              <span>from</span>
              <input
                type="date"
                value={first}
                aria-label={`First day of time ${index + 1}`}
                onInput={(event) => change(key, { first: event.currentTarget.value })}
              />
              <span>to</span>
              <input
                type="date"
                value={last}
                aria-label={`Last day of time ${index + 1}`}
                onInput={(event) => change(key, { last: event.currentTarget.value })}
              />
            </div>
          )}
          <input
            type="text"
            inputMode="url"
            value={url}
            placeholder="The pages above"
            autocomplete="off"
            spellcheck={false}
            aria-label={`Page of time ${index + 1}`}
            onInput={(event) => change(key, { url: event.currentTarget.value })}
          />
          <div class="row-buttons">
            <RowButton
              icon="up"
              title="Further up"
              label={`Move time ${index + 1} up`}
              onClick={() => raise(key)}
            />
            <RowButton
              icon="close"
              title="Remove"
              label={`Remove time ${index + 1}`}
              onClick={() => remove(key)}
            />
          </div>
        </li>
      ))}
    </RowsField>
  );
}

function isOverMidnight(from: string, to: string): boolean {
  return from !== "" && to !== "" && to !== "00:00" && to <= from;
}
