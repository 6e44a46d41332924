import { useEffect, useRef, useState } from "preact/hooks";
import type { StreamFields } from "../../lib/model/schema.ts";
import { ApiError, problemOf } from "../client/api.ts";
import { useBoardContext } from "./BoardContext.ts";
import { isTelevision } from "./card/arrowStops.ts";

/** A text that was not added, and the reason. */
interface Refused {
  text: string;
  problem: string;
}

interface AddFieldProps {
  /** Whether the board is empty. */
  isFirst: boolean;
  /** The settings of a new stream. */
  defaults: StreamFields;
}

/** Adds what is typed or pasted, at once: the stream itself shows whether its page opens. Several addresses become a list. */
export function AddField({ isFirst, defaults }: AddFieldProps) {
  const { board, isReady, openDialog } = useBoardContext();
  const field = useRef<HTMLInputElement>(null);
  const [waiting, setWaiting] = useState(0);
  const [refused, setRefused] = useState<Refused[]>([]);
  const queue = useRef(Promise.resolve());
  useEffect(() => {
    // whoever comes to an empty board can paste at once; the keyboard of a phone or a television would hide the page
    const isNew = isFirst && !isReady && document.activeElement === document.body;
    if (isNew && isTyped()) field.current!.focus({ preventScroll: true });
  }, []);

  function take(): string {
    const text = field.current!.value.trim();
    field.current!.value = "";
    return text;
  }

  function add(text: string) {
    if (text === "") return openDialog({ kind: "add" });
    setRefused([]);
    setWaiting((count) => count + 1);
    queue.current = queue.current.then(() => addNext(text))
      .catch((error) => keep({ text, problem: wordsOf(error) }))
      .then(() => setWaiting((count) => count - 1));
  }

  async function addNext(text: string) {
    const { enteredPage } = await import("../form/several/entered.ts");
    const page = enteredPage(text, board.state.peek().streams.map(({ name }) => name));
    if (page === null) return openDialog({ kind: "add", address: text });
    const id = await board.create({ ...defaults, ...page });
    setTimeout(() => {
      const card = document.getElementById(`stream-${id}`);
      card?.scrollIntoView({ block: "nearest" });
      if (!isTyped()) card?.focus();
    });
  }

  /** Nothing typed is lost: the text goes back into an empty field, where the next one may take its place. */
  function keep(one: Refused) {
    const { current: input } = field;
    if (input!.value === "") {
      input!.value = one.text;
      if (document.activeElement === input) input!.select();
    }
    setRefused((all) => [...all, one]);
  }

  /** Browsers would join the lines of a list into one line. */
  function paste(event: ClipboardEvent) {
    const text = event.clipboardData?.getData("text").trim() ?? "";
    if (!/[\r\n]/.test(text)) return;
    event.preventDefault();
    add(text);
  }

  return (
    <form
      class={isFirst ? "js add-field is-first" : "js add-field"}
      data-least="operator"
      noValidate
      aria-busy={waiting > 0}
      onSubmit={(event) => {
        event.preventDefault();
        add(take());
      }}
    >
      <label class={isFirst ? "" : "hidden"} for="add-address">Page address</label>
      <div class="add-line">
        <input
          ref={field}
          id="add-address"
          type="text"
          inputMode="url"
          enterkeyhint="go"
          autocomplete="off"
          spellcheck={false}
          placeholder={isFirst ? "https://grafana.example.org/d/overview" : "Add a page: paste its address"}
          aria-invalid={refused.length > 0 ? true : undefined}
          aria-describedby={refused.length > 0 ? "add-problems" : undefined}
          onPaste={paste}
        />
        <span class="adding" role="status">{waiting > 0 && "Adding…"}</span>
      </div>
      <button type="submit" class={isFirst ? "primary" : "board-button"}>
        {isFirst ? "Add the first page" : "Add"}
      </button>
      <button
        type="button"
        class="quiet board-button"
        onClick={() => openDialog({ kind: "add", address: take() })}
      >
        More settings…
      </button>
      {refused.length > 0 && (
        <div id="add-problems" role="alert">
          {refused.map(({ text, problem }) => (
            <p key={text} class="problem">
              {text}: {problem}
            </p>
          ))}
        </div>
      )}
    </form>
  );
}

/** Whether a keyboard is there anyway. */
const isTyped = () => !isTelevision() && !matchMedia("(pointer: coarse)").matches;

function wordsOf(error: unknown): string {
  const fields = error instanceof ApiError ? Object.values(error.fields) : [];
  return [...new Set(fields)].join(" ") || problemOf(error);
}
