import { useEffect, useRef, useState } from "preact/hooks";
import type { PublicStream } from "../../../lib/model/schema.ts";
import { ApiError, problemOf } from "../../client/api.ts";
import { useBoardContext } from "../BoardContext.ts";

interface CardLoginProps {
  stream: PublicStream;
  /** Called when the fields are to go: the login is saved, or nothing is to be done. */
  onDone: () => void;
}

/** The fields for a page's login, in place of the card's problem. The password goes to the service, and never comes back. */
export function CardLogin({ stream: { id, name, user }, onDone }: CardLoginProps) {
  const { board } = useBoardContext();
  const form = useRef<HTMLFormElement>(null);
  const [problem, setProblem] = useState("");
  const [isBusy, setBusy] = useState(false);
  useEffect(
    () => form.current!.querySelector<HTMLElement>(user === "" ? "[name=user]" : "[name=pass]")!.focus(),
    [],
  );

  async function save(event: SubmitEvent) {
    event.preventDefault();
    if (isBusy) return;
    const login = Object.fromEntries(new FormData(form.current!));
    setBusy(true);
    try {
      await board.update(id, login);
      board.toast.show(`${name} signs in with this login.`);
      onDone();
    } catch (error) {
      const fields = error instanceof ApiError ? Object.values(error.fields) : [];
      setProblem([...new Set(fields)].join(" ") || problemOf(error));
      setBusy(false);
    }
  }

  function keyDown(event: KeyboardEvent) {
    // the board's keys are letters, too
    event.stopPropagation();
    if (event.key === "Escape") onDone();
  }

  const field = (key: string, label: string, type: string, value = "") => (
    <input
      name={key}
      type={type}
      aria-label={`${label} for ${name}`}
      placeholder={label}
      defaultValue={value}
      autocomplete={type === "password" ? "new-password" : "off"}
      autocapitalize="off"
      spellcheck={false}
      maxLength={1024}
    />
  );
  return (
    <form
      ref={form}
      class="card-problem card-login"
      noValidate
      aria-busy={isBusy}
      onSubmit={save}
      onKeyDown={keyDown}
    >
      {problem && <p class="problem" role="alert">{problem}</p>}
      {field("user", "User name", "text", user)}
      {field("pass", "Password", "password")}
      <p class="remedies">
        <button type="submit" class="primary small" aria-disabled={isBusy}>
          {isBusy ? "Saving…" : "Log in"}
        </button>
        <button type="button" class="quiet small" onClick={onDone}>Cancel</button>
      </p>
    </form>
  );
}
