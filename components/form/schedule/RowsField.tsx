import type { ComponentChildren, JSX, Ref } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** A field of the form whose text is edited as rows. */
export interface RowsOfField {
  form: string;
  name: string;
  label: string;
  problem?: string;
  initial: string;
}

interface RowsFieldProps extends Omit<RowsOfField, "initial"> {
  hint: string;
  hidden: JSX.InputHTMLAttributes<HTMLInputElement> & { ref: Ref<HTMLInputElement> };
  /** The words of the button that adds a row. */
  addText: string;
  onAdd: () => void;
  /** A list item for each row. */
  children: ComponentChildren;
}

/** A labelled list of rows, its problem, and the button that adds a row. */
export function RowsField(
  { form, name, label, hint, problem, hidden, addText, onAdd, children }: RowsFieldProps,
) {
  const list = useRef<HTMLOListElement>(null);
  const isAdded = useRef(false);
  const id = `${form}-${name}`;

  // together with the row, so that the first key after the button goes into the row
  useLayoutEffect(() => {
    if (!isAdded.current) return;
    isAdded.current = false;
    list.current!.lastElementChild!.querySelector<HTMLElement>("input, button")!.focus();
  });

  function add() {
    isAdded.current = true;
    onAdd();
  }

  return (
    <div
      class="field rows"
      id={id}
      tabIndex={-1}
      role="group"
      aria-labelledby={`${id}-label`}
      aria-describedby={problem ? `${id}-problem ${id}-hint` : `${id}-hint`}
      aria-invalid={problem ? true : undefined}
    >
      <input name={name} {...hidden} />
      <p class="label" id={`${id}-label`}>{label}</p>
      <p class="hint" id={`${id}-hint`}>{hint}</p>
      <ol ref={list}>{children}</ol>
      {problem && <p class="problem" id={`${id}-problem`}>{problem}</p>}
      <button type="button" class="small" onClick={add}>{addText}</button>
    </div>
  );
}
