import { useEffect, useRef, useState } from "preact/hooks";
import { Field } from "./Field.tsx";

interface PasswordFieldProps {
  form: string;
  name: string;
  label: string;
  /** Whether one is stored. It is never sent here, so it can only be replaced or cleared. */
  isSet: boolean;
  hint?: string;
  problem?: string;
  /** Why the stored one cannot stay with what else is typed. */
  keepProblem?: string;
}

type Mode = "keep" | "change" | "clear";

/**
 * A password that is written, never read. The form finds no control while the stored one stays, a text field while a
 * new one is typed, and an empty hidden one when it is to be cleared.
 */
export function PasswordField({ isSet, keepProblem, ...others }: PasswordFieldProps) {
  const props = { ...others, problem: keepProblem ?? others.problem };
  // stays: the control in use must not change under the one who types
  const [wasSet] = useState(isSet);
  const [mode, setMode] = useState<Mode>("keep");
  const root = useRef<HTMLDivElement>(null);
  const hasChanged = useRef(false);

  useEffect(() => {
    if (!hasChanged.current) return;
    root.current!.querySelector<HTMLElement>("input:not([type=hidden]), button")!.focus();
    root.current!.dispatchEvent(new Event("input", { bubbles: true }));
  }, [mode]);

  const choose = (next: Mode) => () => {
    hasChanged.current = true;
    setMode(next);
  };

  const id = `${props.form}-${props.name}`;
  if (!wasSet) return <PasswordInput {...props} />;
  return (
    <div ref={root} class="password">
      {mode === "change"
        ? <PasswordInput {...props} hint="Left empty, the stored one stays." />
        : (
          <div class="field" role="group" aria-labelledby={`${id}-label`}>
            <p class="label" id={`${id}-label`}>{props.label}</p>
            <p class="password-state">
              {mode === "keep" ? "A password is stored." : "It is cleared when you save."}
            </p>
            {mode === "keep" && props.problem && (
              <p class="problem" id={`${id}-problem`} role="alert">{props.problem}</p>
            )}
          </div>
        )}
      {mode === "clear" && <input type="hidden" name={props.name} value="" />}
      <div class="password-actions">
        {mode === "keep"
          ? (
            <>
              <button
                type="button"
                class="small"
                id={id}
                aria-describedby={props.problem && `${id}-problem`}
                onClick={choose("change")}
              >
                Change<span class="hidden">the password</span>
              </button>
              <button type="button" class="small" onClick={choose("clear")}>
                Clear<span class="hidden">the password</span>
              </button>
            </>
          )
          : <button type="button" class="small" onClick={choose("keep")}>Keep the stored one</button>}
      </div>
    </div>
  );
}

function PasswordInput(props: Omit<PasswordFieldProps, "isSet" | "keepProblem">) {
  return <Field {...props} type="password" autocomplete="new-password" spellcheck={false} />;
}
