import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ReceiverAnswer } from "../../lib/model/answers/shapes.ts";
import { api, ApiError, problemOf } from "../client/api.ts";
import { closeDialog, Dialog } from "../ui/Dialog.tsx";
import { CheckField, Field, SelectField } from "../ui/Field.tsx";
import { PasswordField } from "../ui/PasswordField.tsx";
import { ADDRESSES, KIND_WORDS, SECURITY_WORDS, WAY_WORDS } from "./messageText.ts";

interface ReceiverDialogProps {
  /** Null: a new one. */
  receiver: ReceiverAnswer | null;
  groups: string[];
  onSaved: (receiver: ReceiverAnswer, isTested: boolean) => void;
  onClose: () => void;
}

type Way = ReceiverAnswer["way"];
const KINDS = Object.keys(KIND_WORDS) as ReceiverAnswer["kinds"];
const FORM = "receiver";

/** The settings of a receiver. Its secrets are typed here and never shown. */
export function ReceiverDialog({ receiver, groups, onSaved, onClose }: ReceiverDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  const [way, setWay] = useState<Way>(receiver?.way ?? "ntfy");
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const [problems, setProblems] = useState<Record<string, string>>({});
  useLayoutEffect(() => form.current!.querySelector<HTMLElement>("[aria-invalid]")?.focus(), [problems]);

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    if (isBusy) return;
    const isTested = (event.submitter as HTMLButtonElement | null)?.value === "test";
    const values = new FormData(form.current!);
    const body = bodyOf(values, way, receiver);
    setBusy(true);
    try {
      const saved = receiver ? await api.updateReceiver(receiver.id, body) : await api.createReceiver(body);
      onSaved(saved, isTested);
      form.current!.closest("dialog")!.close();
    } catch (error) {
      const fields = error instanceof ApiError ? error.fields : {};
      setProblems(fields);
      setProblem(Object.keys(fields).length > 0 ? "" : problemOf(error));
      setBusy(false);
    }
  }

  const field = (name: string) => ({ form: FORM, name, problem: problems[name] });
  const kept = (name: "address" | "token" | "password" | "secret") =>
    receiver?.way === way && receiver.kept.includes(name);
  return (
    <Dialog id="receiver" title={receiver ? `Edit “${receiver.name}”` : "Add receiver"} onClose={onClose}>
      <form ref={form} noValidate aria-busy={isBusy} onSubmit={submit}>
        <div class="dialog-body">
          <div class="pair">
            <div class="field">
              <label for="receiver-way">How</label>
              <select
                id="receiver-way"
                value={way}
                onChange={(event) =>
                  setWay(event.currentTarget.value as Way)}
              >
                {Object.entries(WAY_WORDS).map(([one, word]) => (
                  <option key={one} value={one} selected={one === way}>{word}</option>
                ))}
              </select>
            </div>
            <Field
              {...field("name")}
              label="Name"
              maxLength={60}
              autocomplete="off"
              defaultValue={receiver?.name ?? ""}
              placeholder={WAY_WORDS[way]}
            />
          </div>
          {ADDRESSES[way] && (
            <PasswordField
              key={`address-${way}`}
              {...field("address")}
              label="Address"
              noun="address"
              isSet={kept("address")}
              placeholder={ADDRESSES[way]}
            />
          )}
          {way === "json" && (
            <PasswordField
              {...field("secret")}
              label="Secret for the signature"
              noun="secret"
              isSet={kept("secret")}
              hint="Empty: messages are not signed."
            />
          )}
          {way === "telegram" && (
            <>
              <PasswordField
                {...field("token")}
                label="Token of the bot"
                noun="token"
                isSet={kept("token")}
                placeholder="123456:ABC-DEF"
                hint="@BotFather gives it."
              />
              <Field
                {...field("chat")}
                label="Chat"
                defaultValue={receiver?.chat ?? ""}
                placeholder="@channel"
              />
            </>
          )}
          {way === "mail" && (
            <>
              <Field
                {...field("server")}
                label="Mail server"
                defaultValue={receiver?.server ?? ""}
                placeholder="smtp.example.org"
              />
              <div class="pair">
                <Field
                  {...field("port")}
                  label="Port"
                  inputMode="numeric"
                  defaultValue={String(receiver?.port ?? 587)}
                />
                <SelectField
                  {...field("security")}
                  label="Encryption"
                  options={Object.keys(SECURITY_WORDS)}
                  labels={SECURITY_WORDS}
                  initial={receiver?.security ?? "starttls"}
                />
              </div>
              <div class="pair">
                <Field
                  {...field("user")}
                  label="User name"
                  autocomplete="off"
                  defaultValue={receiver?.user ?? ""}
                />
                <PasswordField {...field("password")} label="Password" isSet={kept("password")} />
              </div>
              <div class="pair">
                <Field
                  {...field("from")}
                  label="From"
                  defaultValue={receiver?.from ?? ""}
                  placeholder="tv@example.org"
                />
                <Field
                  {...field("to")}
                  label="To"
                  defaultValue={receiver?.to ?? ""}
                  placeholder="anna@example.org"
                />
              </div>
            </>
          )}
          <fieldset class="choices">
            <legend>Messages about</legend>
            {KINDS.map((kind) => (
              <CheckField
                key={kind}
                form={FORM}
                name={`kind-${kind}`}
                label={KIND_WORDS[kind]}
                initial={receiver?.kinds.includes(kind) ?? true}
              />
            ))}
            {problems.kinds && <p class="problem" role="alert">{problems.kinds}</p>}
          </fieldset>
          {groups.length > 0 && (
            <fieldset class="choices">
              <legend>Groups (none chosen: all)</legend>
              {groups.map((group, at) => (
                <CheckField
                  key={group}
                  form={FORM}
                  name={`group-${at}`}
                  label={group}
                  initial={receiver?.groups.includes(group) ?? false}
                />
              ))}
            </fieldset>
          )}
          <div class="pair">
            <Field
              {...field("quietFrom")}
              label="Quiet from"
              type="time"
              defaultValue={receiver?.quietFrom ?? ""}
            />
            <Field
              {...field("quietTo")}
              label="Quiet to"
              type="time"
              defaultValue={receiver?.quietTo ?? ""}
              hint="Messages wait until then and arrive as one summary."
            />
          </div>
          <p class="problem" role="alert">{problem}</p>
        </div>
        <div class="dialog-actions">
          <button type="button" class="quiet aside" onClick={closeDialog}>Cancel</button>
          <button type="submit" aria-disabled={isBusy}>Save</button>
          <button type="submit" class="primary" value="test" aria-disabled={isBusy}>
            {isBusy ? "Saving…" : "Save and test"}
          </button>
        </div>
      </form>
    </Dialog>
  );

  function bodyOf(values: FormData, way: Way, known: ReceiverAnswer | null): Record<string, unknown> {
    const typed = ["chat", "server", "user", "from", "to", "quietFrom", "quietTo"];
    const secrets = ["address", "token", "password", "secret"];
    const text = (name: string) => String(values.get(name) ?? "");
    return {
      way,
      name: text("name") || WAY_WORDS[way],
      kinds: KINDS.filter((kind) => values.has(`kind-${kind}`)),
      groups: [
        ...groups.filter((_, at) => values.has(`group-${at}`)),
        // of groups that have no stream now
        ...(known?.groups ?? []).filter((group) => !groups.includes(group)),
      ],
      ...Object.fromEntries(typed.filter((name) => values.has(name)).map((name) => [name, text(name)])),
      ...(way === "mail" ? { port: Number(text("port")), security: text("security") } : {}),
      // an empty field keeps what is stored; a hidden one clears it
      ...Object.fromEntries(
        secrets.filter((name) =>
          values.has(name) && (text(name) !== "" || isCleared(name) || known?.way !== way)
        ).map((name) => [name, text(name)]),
      ),
    };
  }

  function isCleared(name: string): boolean {
    return form.current!.querySelector(`input[type=hidden][name=${name}]`) !== null;
  }
}
