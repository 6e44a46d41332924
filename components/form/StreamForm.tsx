import { useState } from "preact/hooks";
import { ConflictPanel } from "./ConflictPanel.tsx";
import { costFieldsOf, CostForecast } from "./CostForecast.tsx";
import { closeDialog } from "../ui/Dialog.tsx";
import { fillForm } from "./controls.ts";
import type { FormOptions } from "./formOptions.ts";
import { FormSummary } from "./FormSummary.tsx";
import { CUSTOM, presetOf, QualityChoice } from "./QualityChoice.tsx";
import { BehaviourSection, LoginSection, PageSection, PushSection, QualitySection } from "./FormSections.tsx";
import { LooksDetails } from "./LooksDetails.tsx";
import { ScheduleDetails } from "./schedule/ScheduleDetails.tsx";
import type { SecretField } from "../../lib/model/secrets.ts";
import { TryIt } from "./try/TryIt.tsx";
import { type StreamFormWork, useStreamForm } from "./useStreamForm.ts";

interface StreamFormProps extends StreamFormWork {
  /** Prefix of the fields' ids. */
  id: string;
  options: FormOptions;
  /** The groups of the choice; other groups can be typed. */
  groups: string[];
  /** Secrets that a person has to type again for a copy. */
  notCopied?: readonly SecretField[];
  /** Offers a duplicate of the stream that is edited. */
  onDuplicate?: () => void;
  /** Takes a pasted text with blanks in it, which may be several addresses; false: the text is not. */
  onPasteSeveral?: (text: string, group: string) => Promise<boolean>;
}

/** All settings of a stream. The fields keep the typed values until they are saved or discarded. */
export function StreamForm(
  { id, options, groups, notCopied = [], onDuplicate, onPasteSeveral, ...work }: StreamFormProps,
) {
  const { initial, stream } = work;
  const { refs, isBusy, problems, problemsAtSave, conflict, ...form } = useStreamForm(work);
  const [quality, setQuality] = useState(() =>
    presetOf(options.qualityPresets, (field) => initial[field as keyof typeof initial])
  );

  const [cost, setCost] = useState(() => costFieldsOf((field) => initial[field]));

  const control = (name: string) => refs.form.current!.elements.namedItem(name) as HTMLInputElement;

  function chooseQuality(name: string) {
    fillForm(refs.form.current!, options.qualityPresets[name] ?? {});
    setQuality(name);
    setCost(costFieldsOf((field) => control(field).value));
    if (name === CUSTOM) control("fps").closest("details")!.open = true;
  }

  function input(event: Event) {
    form.review(event);
    setCost(costFieldsOf((field) => control(field).value));
    if (
      Object.values(options.qualityPresets).some((numbers) =>
        (event.target as HTMLInputElement).name in numbers
      )
    ) {
      setQuality(presetOf(options.qualityPresets, (field) => control(field).value));
    }
  }

  /** Browsers would join the lines of a list into one line. */
  async function paste(event: ClipboardEvent) {
    const field = event.target as HTMLInputElement;
    const text = event.clipboardData?.getData("text").trim() ?? "";
    if (!onPasteSeveral || field.name !== "url" || !/\s/.test(text)) return;
    event.preventDefault();
    if (!await onPasteSeveral(text, control("group").value)) {
      fillForm(refs.form.current!, { url: text.replace(/\s+/g, " ") });
    }
  }

  function submit(event: SubmitEvent) {
    event.preventDefault();
    form.submit();
  }

  const parts = { form: id, initial, problems };
  return (
    <form
      ref={refs.form}
      noValidate
      aria-busy={isBusy}
      onSubmit={submit}
      onInput={input}
      onFocusOut={form.review}
      onPaste={paste}
    >
      <div class="dialog-body">
        <FormSummary form={id} problems={problemsAtSave} unsolved={problems} summaryRef={refs.summary} />
        {conflict && (
          <ConflictPanel
            differences={conflict}
            isBusy={isBusy}
            panelRef={refs.panel}
            onKeepMine={form.keepMine}
            onTakeTheirs={form.takeTheirs}
          />
        )}
        <PageSection
          {...parts}
          groups={groups}
          details={
            <>
              <ScheduleDetails {...parts} options={options} />
              <LooksDetails
                {...parts}
                options={options}
                base={form.base}
                notCopied={notCopied}
                secretProblems={form.secretProblems}
                resets={form.resets}
              />
            </>
          }
        >
          <TryIt defaults={options.defaults} stream={form.base?.id} />
        </PageSection>
        <QualitySection {...parts} options={options}>
          <QualityChoice
            form={id}
            qualityPresets={options.qualityPresets}
            chosen={quality}
            onChoose={chooseQuality}
          />
          <CostForecast fields={cost} />
        </QualitySection>
        <LoginSection
          {...parts}
          isPassSet={form.base?.passSet ?? false}
          resets={form.resets}
          passHint={notCopied.includes("pass") ? "The password is not copied: type it again." : undefined}
          passProblem={form.secretProblems.pass}
        />
        <BehaviourSection {...parts} options={options} />
        <PushSection
          {...parts}
          isKeySet={form.base?.pushKeySet ?? false}
          resets={form.resets}
          keyHint={notCopied.includes("pushKey") ? "The stream key is not copied: type it again." : undefined}
          keyProblem={form.secretProblems.pushKey}
        />
      </div>
      {stream && (
        <p class="restart-preview" role="status">{form.isDirty ? form.preview : "Nothing is changed yet."}</p>
      )}
      <div class="dialog-actions">
        {onDuplicate && <button type="button" class="quiet first" onClick={onDuplicate}>Duplicate</button>}
        <button type="button" aria-disabled={isBusy} onClick={closeDialog}>Cancel</button>
        <button type="submit" class="primary" aria-disabled={isBusy}>
          {stream ? (isBusy ? "Saving…" : "Save") : (isBusy ? "Adding…" : "Add stream")}
        </button>
      </div>
    </form>
  );
}
