interface SegmentsProps<Value extends string> {
  /** Prefix of the radio buttons' name; unique on the page. */
  name: string;
  /** The name of the choice. */
  label: string;
  /** Each value with its word. */
  options: Record<Value, string>;
  value: Value;
  class?: string;
  onChange: (value: Value) => void;
}

/** A choice among a few values: radio buttons, side by side, that look like one control. */
export function Segments<Value extends string>(props: SegmentsProps<Value>) {
  const { name, label, options, value, onChange } = props;
  return (
    <fieldset class={`segments ${props.class ?? ""}`}>
      <legend>{label}</legend>
      <div>
        {(Object.entries(options) as [Value, string][]).map(([each, word]) => (
          <label key={each}>
            <input
              type="radio"
              name={name}
              value={each}
              checked={each === value}
              onChange={() => onChange(each)}
            />
            {word}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
