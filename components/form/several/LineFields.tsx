import { Icon } from "../../ui/Icon.tsx";
import type { ListedLine, TypedField } from "./useSeveral.ts";

interface LineFieldsProps {
  form: string;
  line: ListedLine;
  /** The line's number, from 1. */
  position: number;
  /** Whether the line is the only line, which cannot be removed. */
  isOnly: boolean;
  onType: (line: ListedLine, field: TypedField, value: string) => void;
  onLeave: (line: ListedLine) => void;
  onRemove: (key: number) => void;
}

/** A stream of the list: its name, its address, and their problems. */
export function LineFields(
  { form, line, position, isOnly, onType, onLeave, onRemove }: LineFieldsProps,
) {
  const id = `${form}-line-${line.key}`;
  const problems = Object.entries(line.problems);
  const common = (field: TypedField) => ({
    id: `${id}-${field}`,
    type: "text",
    value: line[field] ?? "",
    autocomplete: "off",
    "aria-invalid": field in line.problems ? true : undefined,
    "aria-describedby": problems.length > 0 ? `${id}-problem` : undefined,
    onInput: (event: { currentTarget: HTMLInputElement }) => onType(line, field, event.currentTarget.value),
  });
  return (
    <li>
      <input {...common("name")} aria-label={`Name of stream ${position}`} />
      <input
        {...common("url")}
        inputMode="url"
        spellcheck={false}
        aria-label={`Address of stream ${position}`}
        onBlur={() => onLeave(line)}
      />
      {line.channelNumber !== undefined && (
        <input
          {...common("channelNumber")}
          class="line-number"
          inputMode="numeric"
          placeholder="Next"
          aria-label={`Channel number of stream ${position}`}
        />
      )}
      {!isOnly && (
        <button
          type="button"
          class="quiet square"
          title="Remove"
          aria-label={`Remove stream ${position}, ${line.name}`}
          onClick={() => onRemove(line.key)}
        >
          <Icon name="close" />
        </button>
      )}
      {problems.length > 0 && (
        <p class="problem" id={`${id}-problem`}>
          {problems.map(([, problem]) => problem).join(" ")}
        </p>
      )}
      {line.leftOut && <p class="hint">Left out: {line.leftOut.join("; ")}</p>}
    </li>
  );
}
