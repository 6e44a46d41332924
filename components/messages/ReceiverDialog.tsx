import { useRef, useState } from "preact/hooks";
import type { ReceiverAnswer } from "../../lib/model/answers/shapes.ts";
import type { WayField, WayForm } from "../../lib/model/receivers.ts";
import { api } from "../client/api.ts";
import { useSubmit } from "../client/useSubmit.ts";
import { closeDialog, Dialog } from "../ui/Dialog.tsx";
import { CheckField, Field, SelectField } from "../ui/Field.tsx";
import { PasswordField } from "../ui/PasswordField.tsx";
import { KIND_WORDS } from "./messageText.ts";

interface ReceiverDialogProps {
  /** Null: a new one. */
  receiver: ReceiverAnswer | null;
  ways: WayForm[];
  groups: string[];
  onSaved: (receiver: ReceiverAnswer, isTested: boolean) => void;
  onClose: () => void;
}

const KINDS = Object.keys(KIND_WORDS) as ReceiverAnswer["kinds"];
const FORM = "receiver";

/** The settings of a receiver. Its secrets are typed here and never shown. */
export function ReceiverDialog({ receiver, ways, groups, onSaved, onClose }: ReceiverDialogProps) {
  const form = useRef<HTMLFormElement>(null);
  const [way, setWay] = useState(receiver?.way ?? ways[0].way);
  const { label, lines } = ways.find((one) => one.way === way)!;
  const { isBusy, problem, problems, submit } = useSubmit(form, async (event) => {
    const isTested = (event.submitter as HTMLButtonElement | null)?.value === "test";
    const body = bodyOf(new FormData(form.current!));
    onSaved(
      receiver ? await api.updateReceiver(receiver.id, body) : await api.createReceiver(body),
      isTested,
    );
    form.current!.closest("dialog")!.close();
  });

  const field = (name: string) => ({ form: FORM, name, problem: problems[name] });
  const isKept = (name: string) => receiver?.way === way && receiver.kept.some((one) => one === name);

  function control({ name, noun, isNumber, choices, initial = "", ...words }: WayField) {
    const key = `${way}-${name}`;
    const common = { ...field(name), ...words };
    if (noun) return <PasswordField key={key} {...common} noun={noun} isSet={isKept(name)} />;
    // no answer has a secret's value
    const value = String((receiver as Record<string, unknown> | null)?.[name] ?? initial);
    return choices
      ? <SelectField key={key} {...common} options={Object.keys(choices)} labels={choices} initial={value} />
      : (
        <Field
          key={key}
          {...common}
          autocomplete="off"
          inputMode={isNumber ? "numeric" : undefined}
          defaultValue={value}
        />
      );
  }

  return (
    <Dialog id="receiver" title={receiver ? `Edit “${receiver.name}”` : "Add receiver"} onClose={onClose}>
      <form ref={form} noValidate aria-busy={isBusy} onSubmit={submit}>
        <div class="dialog-body">
          <div class="pair">
            <div class="field">
              <label for="receiver-way">Sent by</label>
              <select
                id="receiver-way"
                autofocus
                value={way}
                onChange={(event) =>
                  setWay(event.currentTarget.value as WayForm["way"])}
              >
                {ways.map((one) => (
                  <option key={one.way} value={one.way} selected={one.way === way}>{one.label}</option>
                ))}
              </select>
            </div>
            <Field
              {...field("name")}
              label="Name"
              maxLength={60}
              autocomplete="off"
              defaultValue={receiver?.name ?? ""}
              placeholder={label}
            />
          </div>
          {lines.map((fields) =>
            fields.length === 1
              ? control(fields[0])
              : <div key={fields[0].name} class="pair">{fields.map(control)}</div>
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
              hint="Messages of the quiet hours arrive at their end, as one summary."
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

  function bodyOf(values: FormData): Record<string, unknown> {
    const text = (name: string) => String(values.get(name) ?? "");
    const typed = lines.flat().filter(({ name, noun }) =>
      // an empty field keeps the stored secret; a hidden one clears it
      values.has(name) &&
      (!noun || text(name) !== "" || isCleared(name) || receiver?.way !== way)
    );
    return {
      way,
      name: text("name") || label,
      kinds: KINDS.filter((kind) => values.has(`kind-${kind}`)),
      groups: [
        ...groups.filter((_, at) => values.has(`group-${at}`)),
        // of groups that have no stream now
        ...(receiver?.groups ?? []).filter((group) => !groups.includes(group)),
      ],
      quietFrom: text("quietFrom"),
      quietTo: text("quietTo"),
      ...Object.fromEntries(
        typed.map(({ name, isNumber }) => [name, isNumber ? Number(text(name)) : text(name)]),
      ),
    };
  }

  function isCleared(name: string): boolean {
    return form.current!.querySelector(`input[type=hidden][name=${name}]`) !== null;
  }
}
