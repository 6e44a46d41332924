import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { pasteProblem } from "../../lib/model/paste.ts";
import { copyText } from "../ui/copyText.ts";
import { Icon } from "../ui/Icon.tsx";

interface ClipboardPanelProps {
  /** The text that was copied on the remote page. */
  text: string;
  mayPaste: boolean;
  onText: (text: string) => void;
  onPaste: () => void;
  onClose: () => void;
}

/** The remote clipboard as a text, for phones and browsers that keep their clipboard from pages. */
export function ClipboardPanel({ text, mayPaste, onText, onPaste, onClose }: ClipboardPanelProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [outcome, setOutcome] = useState("");
  const problem = pasteProblem(text);
  useLayoutEffect(() => field.current!.focus(), []);

  async function copy() {
    setOutcome(await copyText(text) ? "Copied to this device." : "Not copied: select the text and copy it.");
  }

  async function insert() {
    try {
      onText(await navigator.clipboard.readText());
      setOutcome("");
    } catch {
      setOutcome("The browser does not allow it. Paste the text into the field.");
    }
  }

  return (
    <section
      class="vnc-panel"
      aria-labelledby="vnc-clipboard"
      onKeyDown={(event) => event.key === "Escape" && onClose()}
    >
      <div class="vnc-panel-head">
        <h2 id="vnc-clipboard">Clipboard</h2>
        <button type="button" class="quiet square" title="Close" onClick={onClose}>
          <Icon name="close" />
          <span class="hidden">Close the clipboard</span>
        </button>
      </div>
      <label class="hidden" for="vnc-clipboard-text">Text of the clipboard</label>
      <textarea
        id="vnc-clipboard-text"
        aria-describedby={problem ? "vnc-clipboard-problem" : "vnc-clipboard-hint"}
        aria-invalid={problem ? true : undefined}
        ref={field}
        rows={5}
        spellcheck={false}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      {problem && <p id="vnc-clipboard-problem" class="problem" role="alert">{problem}</p>}
      <p id="vnc-clipboard-hint" class="hint">
        Text that you copy in the remote page appears here. “Send to the page” pastes it at the page's cursor.
      </p>
      <div class="vnc-panel-actions">
        <button
          type="button"
          class="primary"
          disabled={!mayPaste || text === "" || problem !== ""}
          onClick={onPaste}
        >
          Send to the page
        </button>
        <button type="button" disabled={text === ""} onClick={copy}>Copy to this device</button>
        {"clipboard" in navigator && <button type="button" onClick={insert}>Read my clipboard</button>}
      </div>
      <p class="hint" role="status">{outcome}</p>
    </section>
  );
}
