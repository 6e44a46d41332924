import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";

interface FieldProps extends Omit<JSX.InputHTMLAttributes<HTMLInputElement>, "name" | "label"> {
  /** The form's id; with the field's name it makes ids that are unique on the page. */
  form: string;
  name: string;
  label: string;
  hint?: string;
  problem?: string;
}

/** A labelled text field with its hint and its problem. Uncontrolled: the typed text stays unchanged. */
export function Field({ form, name, label, hint, problem, ...input }: FieldProps) {
  return (
    <Labelled form={form} name={name} label={label} hint={hint} problem={problem}>
      <input type="text" {...input} {...described({ form, name, hint, problem })} />
    </Labelled>
  );
}

interface LinesFieldProps extends Omit<JSX.TextareaHTMLAttributes<HTMLTextAreaElement>, "name" | "label"> {
  form: string;
  name: string;
  label: string;
  hint?: string;
  problem?: string;
}

/** A `Field` for text of several lines: code or a list. */
export function LinesField({ form, name, label, hint, problem, ...area }: LinesFieldProps) {
  return (
    <Labelled form={form} name={name} label={label} hint={hint} problem={problem}>
      <textarea
        rows={3}
        spellcheck={false}
        autocomplete="off"
        {...area}
        {...described({ form, name, hint, problem })}
      />
    </Labelled>
  );
}

interface SelectFieldProps extends Pick<FieldProps, "form" | "name" | "label" | "hint" | "problem"> {
  options: readonly string[];
  /** The words that people read instead of the options. */
  labels?: Record<string, string>;
  initial: string;
}

/** A labelled choice among a few words. */
export function SelectField(
  { form, name, label, hint, problem, options, labels, initial }: SelectFieldProps,
) {
  return (
    <Labelled form={form} name={name} label={label} hint={hint} problem={problem}>
      <select {...described({ form, name, hint, problem })}>
        {options.map((option) => (
          <option key={option} value={option} selected={option === initial}>
            {labels?.[option] ?? option}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

interface CheckFieldProps extends Pick<FieldProps, "form" | "name" | "label" | "hint" | "problem"> {
  initial: boolean;
}

/** A labelled yes or no. */
export function CheckField({ form, name, label, hint, problem, initial }: CheckFieldProps) {
  // Not defaultChecked: the server's precompiled JSX writes it as an attribute that browsers ignore.
  const [isOn, setOn] = useState(initial);
  return (
    <div class="field check">
      <label>
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => setOn(event.currentTarget.checked)}
          {...described({ form, name, hint, problem })}
        />
        {label}
      </label>
      <Notes form={form} name={name} hint={hint} problem={problem} />
    </div>
  );
}

type Named = Pick<FieldProps, "form" | "name" | "hint" | "problem">;

function Labelled({ label, children, ...named }: Named & { label: string; children: ComponentChildren }) {
  return (
    <div class="field">
      <label for={`${named.form}-${named.name}`}>{label}</label>
      {children}
      <Notes {...named} />
    </div>
  );
}

function Notes({ form, name, hint, problem }: Named) {
  return (
    <>
      {problem && <p class="problem" id={`${form}-${name}-problem`}>{problem}</p>}
      {hint && <p class="hint" id={`${form}-${name}-hint`}>{hint}</p>}
    </>
  );
}

function described({ form, name, hint, problem }: Named) {
  const id = `${form}-${name}`;
  const notes = [problem && `${id}-problem`, hint && `${id}-hint`].filter(Boolean).join(" ");
  return {
    id,
    name,
    "aria-invalid": problem ? true : undefined,
    "aria-describedby": notes || undefined,
  };
}
