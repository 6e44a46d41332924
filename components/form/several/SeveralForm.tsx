import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { closeDialog } from "../../ui/Dialog.tsx";
import { Field } from "../../ui/Field.tsx";
import type { FormOptions } from "../formOptions.ts";
import { numbersOf } from "../picture/picture.ts";
import { PictureChoice } from "../picture/PictureChoice.tsx";
import { LineFields } from "./LineFields.tsx";
import { type Line, MAX_LINES, pastedLines } from "./pasted.ts";
import { type SeveralWork, useSeveral } from "./useSeveral.ts";

export interface SeveralFormProps extends Omit<SeveralWork, "common" | "onDone"> {
  id: string;
  lines: readonly Line[];
  options: FormOptions;
  groups: string[];
  /** The group that was typed before. */
  group: string;
  onSaved: () => void;
}

/** Several streams at once: a line for each pasted address. */
export function SeveralForm({ id, options, groups, group, onSaved, ...work }: SeveralFormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [[size, smoothness], choose] = useState<[string, string]>(["720p", "Dashboard"]);
  const common = () => ({
    ...numbersOf(options.qualityPresets, smoothness, size),
    group: (form.current!.elements.namedItem("group") as HTMLInputElement).value,
  });
  const { lines, waiting, progress, refused, summary, ...list } = useSeveral({
    ...work,
    common,
    onDone: onSaved,
  });
  const isBusy = progress !== null;
  useLayoutEffect(() => form.current!.querySelector("input")!.focus(), []);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    list.add();
  }

  return (
    <form ref={form} noValidate aria-busy={isBusy} onSubmit={submit}>
      <div class="dialog-body">
        {refused > 0 && (
          <div class="summary" role="alert" tabIndex={-1} ref={summary}>
            <p class="problem">{refusedText(refused)}</p>
          </div>
        )}
        <p>
          Each address becomes a stream. You can change the names now or later.
          {waiting > 0 && <strong>{` ${waitingText(waiting)}`}</strong>}
        </p>
        <ol class="several">
          {lines.map((line, index) => (
            <LineFields
              key={line.key}
              form={id}
              line={line}
              position={index + 1}
              isOnly={lines.length + waiting === 1}
              onType={list.type}
              onLeave={list.complete}
              onRemove={list.remove}
            />
          ))}
        </ol>
        <fieldset class="section">
          <legend>For all of them</legend>
          <Field
            form={id}
            name="group"
            label="Group"
            placeholder="None"
            defaultValue={group}
            list={`${id}-groups`}
            autocomplete="off"
          />
          <datalist id={`${id}-groups`}>
            {groups.map((each) => <option key={each} value={each} />)}
          </datalist>
          <PictureChoice
            form={id}
            smoothnesses={options.qualityPresets}
            size={size}
            smoothness={smoothness}
            onChoose={(...next) => choose(next)}
            isFixed
          />
        </fieldset>
      </div>
      <div class="dialog-actions">
        <button type="button" aria-disabled={isBusy} onClick={closeDialog}>Cancel</button>
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {progress ? `Adding ${progress.at} of ${progress.of}…` : addText(lines.length)}
        </button>
      </div>
    </form>
  );
}

export { pastedLines };

function addText(count: number): string {
  return count === 1 ? "Add stream" : `Add ${count} streams`;
}

function waitingText(count: number): string {
  return `The list shows ${MAX_LINES} lines at a time. ${
    count === 1 ? "One more line follows" : `${count} more lines follow`
  } when these are added or removed.`;
}

function refusedText(count: number): string {
  return count === 1
    ? "One stream was not added: its line says why."
    : `${count} streams were not added: their lines say why.`;
}
