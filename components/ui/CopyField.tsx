import { useEffect, useRef, useState } from "preact/hooks";
import { copyText } from "./copyText.ts";
import { Icon } from "./Icon.tsx";

interface CopyFieldProps {
  id: string;
  label: string;
  text: string;
  hint?: string;
  autofocus?: boolean;
}

/** The time that the button says "Copied", in ms. */
const SHOWN_MS = 3000;

/** An address to copy by button, or by hand where the browser lets no page copy. */
export function CopyField({ id, label, text, hint, autofocus }: CopyFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [outcome, setOutcome] = useState<"" | "copied" | "by hand">("");
  const hintId = `${id}-hint`;

  useEffect(() => setOutcome(""), [text]);
  useEffect(() => {
    if (outcome !== "copied") return;
    const timer = setTimeout(() => setOutcome(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);

  async function copy() {
    if (await copyText(text)) return setOutcome("copied");
    setOutcome("by hand");
    input.current?.focus();
  }

  const isCopied = outcome === "copied";
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="copy-line">
        <input
          id={id}
          type="text"
          readOnly
          ref={input}
          value={text}
          aria-describedby={hintId}
          onFocus={(event) => event.currentTarget.select()}
        />
        <button type="button" class={autofocus ? "primary" : undefined} autofocus={autofocus} onClick={copy}>
          <Icon name={isCopied ? "check" : "duplicate"} />
          <span>
            {isCopied ? "Copied" : "Copy"}
            <span class="hidden">{label}</span>
          </span>
        </button>
      </div>
      <p class="hint" id={hintId} role="status">
        {outcome === "by hand" ? "It is selected: copy it with Ctrl+C or ⌘C." : hint}
        {isCopied && <span class="hidden">{label} is copied.</span>}
      </p>
    </div>
  );
}
