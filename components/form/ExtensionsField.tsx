import { useEffect, useRef, useState } from "preact/hooks";
import { extensionNames } from "../../lib/model/extensions.ts";
import { FIELD_ROWS } from "../../lib/model/fields.ts";
import { api } from "../client/api.ts";
import type { Extension } from "../../lib/model/answers/shapes.ts";

interface ExtensionsFieldProps {
  form: string;
  initial: string;
  problem?: string;
  /** Whether the field is visible: only then the page asks for the list of extensions. */
  isOpen: boolean;
}

/** A choice among the operator's own browser extensions; empty where there are none. */
export function ExtensionsField({ form, initial, problem, isOpen }: ExtensionsFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState(initial);
  const [there, setThere] = useState<Extension[] | null>(null);
  const names = extensionNames(chosen);

  useEffect(() => {
    // an error is not shown while the service is away: the field then shows only the chosen extensions
    if (isOpen && there === null) api.extensions().then(setThere, () => setThere([]));
  }, [isOpen]);

  function choose(name: string, isOn: boolean) {
    const next = isOn ? [...names, name] : names.filter((one) => one !== name);
    field.current!.value = next.join(" ");
    field.current!.dispatchEvent(new Event("input", { bubbles: true }));
  }

  const known = there ?? [];
  const missing = names.filter((name) => !known.some((one) => one.name === name));
  const offered: (Pick<Extension, "name"> & { text: string })[] = [
    ...known.map(({ name, title, version }) => ({ name, text: `${title} ${version}` })),
    ...(there ? missing.map((name) => ({ name, text: `${name} (missing)` })) : []),
  ];
  const id = `${form}-extensions`;
  return (
    <>
      <input
        ref={field}
        type="hidden"
        name="extensions"
        value={chosen}
        onInput={(event) => setChosen(event.currentTarget.value)}
      />
      {offered.length > 0 && (
        <div
          class="field"
          id={id}
          tabIndex={-1}
          role="group"
          aria-labelledby={`${id}-label`}
          aria-describedby={`${id}-hint`}
          aria-invalid={problem ? true : undefined}
        >
          <p class="label" id={`${id}-label`}>{FIELD_ROWS.extensions.label}</p>
          {offered.map(({ name, text }) => (
            <div class="check" key={name}>
              <label>
                <input
                  type="checkbox"
                  checked={names.includes(name)}
                  onChange={(event) => choose(name, event.currentTarget.checked)}
                />
                <span class="wrap">{text}</span>
              </label>
            </div>
          ))}
          {problem && <p class="problem">{problem}</p>}
          <p class="hint" id={`${id}-hint`}>
            The service reads the folders of DATA_DIR/extensions when it starts. Each extension can read and
            change everything on this page.
          </p>
        </div>
      )}
    </>
  );
}
