import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { copyText } from "../ui/copyText.ts";
import { Icon } from "../ui/Icon.tsx";

/** Xvnc refuses longer texts. */
const MAX_LENGTH = 200_000;

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
  useLayoutEffect(() => field.current!.focus(), []);

  async function copy() {
    setOutcome(await copyText(text) ? "Copied to this device." : "Not copied: select the text and copy it.");
  }

  async function insert() {
    try {
      onText((await navigator.clipboard.readText()).slice(0, MAX_LENGTH));
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
        aria-describedby="vnc-clipboard-hint"
        ref={field}
        rows={5}
        maxLength={MAX_LENGTH}
        spellcheck={false}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
      />
      <p id="vnc-clipboard-hint" class="hint">
        Text that you copy in the remote page appears here. “Paste there” inserts it at the remote page's
        cursor.
      </p>
      <div class="vnc-panel-actions">
        <button type="button" class="primary" disabled={!mayPaste || text === ""} onClick={onPaste}>
          Paste there
        </button>
        <button type="button" disabled={text === ""} onClick={copy}>Copy here</button>
        {"clipboard" in navigator && <button type="button" onClick={insert}>Insert mine</button>}
      </div>
      <p class="hint" role="status">{outcome}</p>
    </section>
  );
}
