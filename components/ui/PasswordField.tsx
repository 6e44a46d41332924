import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Field, LinesField } from "./Field.tsx";

interface PasswordFieldProps {
  form: string;
  name: string;
  label: string;
  /** The secret's noun, such as "password", after "the stored". */
  noun?: string;
  /** Whether the secret is a list with an entry on each line. */
  isList?: boolean;
  placeholder?: string;
  /** Whether a secret is stored. The page never gets it, so it can only be replaced or cleared. */
  isSet: boolean;
  hint?: string;
  problem?: string;
  /** Why the stored secret cannot stay with the other typed values. */
  keepProblem?: string;
}

type Mode = "keep" | "change" | "clear";

/**
 * A secret, such as a password, that is written, never read. The form finds no control while the stored secret stays, a
 * text field while a new secret is typed, and an empty hidden field when the secret is to be cleared.
 */
export function PasswordField({ isSet, keepProblem, noun = "password", ...others }: PasswordFieldProps) {
  const props = { ...others, problem: keepProblem ?? others.problem };
  // the first value stays: the control must not change while a person types
  const [wasSet] = useState(isSet);
  const [mode, setMode] = useState<Mode>("keep");
  const root = useRef<HTMLDivElement>(null);
  const hasChanged = useRef(false);

  // not after the next frame: the first typed key would be lost
  useLayoutEffect(() => {
    if (!hasChanged.current) return;
    root.current!.querySelector<HTMLElement>("input:not([type=hidden]), textarea, button")!.focus();
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
        ? <PasswordInput {...props} hint="Leave it empty to keep the stored one." />
        : (
          <div class="field" role="group" aria-labelledby={`${id}-label`}>
            <p class="label" id={`${id}-label`}>{props.label}</p>
            <p class="password-state">
              {mode === "clear"
                ? "It is cleared when you save."
                : props.isList
                ? "Some are stored."
                : `${/^[aeiou]/.test(noun) ? "An" : "A"} ${noun} is stored.`}
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
                Change<span class="hidden">the {noun}</span>
              </button>
              <button type="button" class="small" onClick={choose("clear")}>
                Clear<span class="hidden">the {noun}</span>
              </button>
            </>
          )
          : <button type="button" class="small" onClick={choose("keep")}>Keep the stored one</button>}
      </div>
    </div>
  );
}

function PasswordInput({ isList, ...props }: Omit<PasswordFieldProps, "isSet" | "keepProblem" | "noun">) {
  // an empty list is not sent
  if (isList) return <LinesField {...props} data-secret="" />;
  return <Field {...props} type="password" autocomplete="new-password" spellcheck={false} />;
}
