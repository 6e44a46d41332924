interface CheckLineProps {
  /** Of which dialog: no two have one name in a page. */
  of: string;
  name: string;
  label: string;
  hint?: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

/** Something that is on or off, with a hint below it. */
export function CheckLine({ of, name, label, hint, isOn, onChange }: CheckLineProps) {
  const hintId = `${of}-${name}-hint`;
  return (
    <div class="check">
      <label>
        <input
          type="checkbox"
          name={name}
          checked={isOn}
          aria-describedby={hint && hintId}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
        {label}
      </label>
      {hint && <p class="hint" id={hintId}>{hint}</p>}
    </div>
  );
}
