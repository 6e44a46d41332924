interface CheckLineProps {
  /** The dialog's name, which is unique in a page. */
  of: string;
  name: string;
  label: string;
  hint?: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

/** A setting that is on or off, with a hint below it. */
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
