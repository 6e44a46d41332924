import { useEffect, useRef, useState } from "preact/hooks";
import { completeAddress } from "../../lib/model/web_address.ts";
import { storedSize } from "../../lib/model/picture_size.ts";
import { ConflictPanel } from "./ConflictPanel.tsx";
import { costFieldsOf, CostForecast } from "./CostForecast.tsx";
import { closeDialog } from "../ui/Dialog.tsx";
import { fillForm } from "./controls.ts";
import type { FormOptions } from "./formOptions.ts";
import { FormSummary } from "./FormSummary.tsx";
import {
  ChannelSection,
  EncoderSection,
  LoginSection,
  NetworkSection,
  PageSection,
  PagesSection,
  PlanSection,
  PushSection,
  RunningSection,
} from "./FormSections.tsx";
import { LooksSection } from "./LooksSection.tsx";
import { hostOf, isAddress } from "../../lib/model/web_address.ts";
import { numbersOf, OTHER, sizeOf, smoothnessOf } from "./picture/picture.ts";
import { PictureChoice } from "./picture/PictureChoice.tsx";
import { sectionLines } from "./sectionLines.ts";
import { type SecretField, SECRETS, setName } from "../../lib/model/secrets.ts";
import { TryIt } from "./try/TryIt.tsx";
import { useTrial } from "./try/useTrial.ts";
import { type StreamFormWork, useStreamForm } from "./useStreamForm.ts";

interface StreamFormProps extends StreamFormWork {
  /** Prefix of the fields' ids. */
  id: string;
  options: FormOptions;
  /** The groups of the choice; other groups can be typed. */
  groups: string[];
  /** An address that was typed before the form opened: it is tried at once. */
  address?: string;
  /** Secrets that a person has to type again for a copy. */
  notCopied?: readonly SecretField[];
  /** Offers a duplicate of the stream that is edited. */
  onDuplicate?: () => void;
  /** Takes a pasted text with blanks in it, which may be several addresses; false: the text is not. */
  onPasteSeveral?: (text: string, group: string) => Promise<boolean>;
}

/** All settings of a stream. The fields keep the typed values until they are saved or discarded. */
export function StreamForm(
  { id, options, groups, address, notCopied = [], onDuplicate, onPasteSeveral, ...work }: StreamFormProps,
) {
  const { initial, stream } = work;
  /** The host's name, which the form has filled in, and "" before. */
  const hostName = useRef("");
  const { refs, isBusy, problems, problemsAtSave, conflict, ...form } = useStreamForm({
    ...work,
    onSave: (body) => {
      const isOfHost = !stream && hostName.current !== "" && body.name === hostName.current;
      return work.onSave(isOfHost ? { ...body, nameFollowsTitle: true } : body);
    },
  });
  const first = (field: string) => initial[field as keyof typeof initial];
  const [size, setSize] = useState(() => sizeOf(first));
  const [smoothness, setSmoothness] = useState(() => smoothnessOf(options.qualityPresets, first));
  const [cost, setCost] = useState(() => costFieldsOf(first));
  /** The name that the form has filled in; a person's own name stays. */
  const filledName = useRef("");
  const trial = useTrial({
    form: refs.form,
    initial,
    defaults: options.defaults,
    stream: form.base?.id,
    onTried: takeTried,
    onRefused: form.mark,
  });

  useEffect(() => {
    if (address) takeAddress(address);
  }, []);

  const control = (name: string) => refs.form.current!.elements.namedItem(name) as HTMLInputElement;
  const typed = (name: string) => control(name).value;

  function choosePicture(nextSize: string, nextSmoothness: string) {
    fillForm(refs.form.current!, numbersOf(options.qualityPresets, nextSmoothness, nextSize));
    setSize(nextSize);
    setSmoothness(nextSmoothness);
    setCost(costFieldsOf(typed));
    const isOpened = nextSize === OTHER && size !== OTHER ||
      nextSmoothness === OTHER && smoothness !== OTHER;
    if (isOpened) control("fps").closest("details")!.open = true;
  }

  function input(event: Event) {
    form.review(event);
    setCost(costFieldsOf(typed));
    const { name } = event.target as HTMLInputElement;
    const isNumber = Object.values(options.qualityPresets).some((numbers) => name in numbers);
    if (!isNumber && name !== "resolution" && name !== "scale") return;
    setSize(sizeOf(typed));
    setSmoothness(smoothnessOf(options.qualityPresets, typed));
  }

  /** Shows a size in full, as it would be stored. */
  function leave(event: FocusEvent) {
    form.review(event);
    const { name, value } = event.target as HTMLInputElement;
    if (!refs.form.current || name !== "resolution" && name !== "scale") return;
    if (storedSize(value) !== value) fillForm(refs.form.current, { [name]: storedSize(value) });
  }

  /** Shows the tried address in full, and takes the page's title, or its host, as the name of a new stream. */
  function takeTried(url: string, title: string) {
    const now = typed("url");
    if (now !== url && completeAddress(now.trim()) === url) fillForm(refs.form.current!, { url });
    const isOwn = typed("name") !== filledName.current;
    if (stream || isOwn) return;
    if (title === "") return nameByHost(url);
    filledName.current = title;
    fillForm(refs.form.current!, { name: title });
  }

  /** The host is the name until the page's title is known. */
  function nameByHost(url: string) {
    filledName.current = hostName.current = hostOf(url);
    fillForm(refs.form.current!, { name: hostName.current });
  }

  /** Sets the stream's accepted certificates, as the field of the section "Network" does. */
  function acceptCertificate(fingerprint: string) {
    const acceptedCertificates = `${typed("acceptedCertificates")} ${fingerprint}`.trim();
    fillForm(refs.form.current!, { acceptedCertificates });
  }

  function openLogin() {
    const user = control("user");
    user.closest("details")!.open = true;
    user.focus();
  }

  /** Takes a text for the address: several addresses become a list, a single address is tried. */
  async function takeAddress(text: string) {
    if (/\s/.test(text) && await onPasteSeveral?.(text, typed("group"))) return;
    fillForm(refs.form.current!, { url: text.replace(/\s+/g, " ") });
    trial.start();
  }

  /** Browsers would join the lines of a list into one line. */
  async function paste(event: ClipboardEvent) {
    const field = event.target as HTMLInputElement;
    const text = event.clipboardData?.getData("text").trim() ?? "";
    if (!onPasteSeveral || field.name !== "url" || !/\s/.test(text)) return;
    event.preventDefault();
    if (!await onPasteSeveral(text, typed("group"))) {
      fillForm(refs.form.current!, { url: text.replace(/\s+/g, " ") });
    }
  }

  /** Enter in the address tries a new address; while that is tried, in a tried one, and in other fields, it saves. */
  function keyDown(event: KeyboardEvent) {
    const { name, value } = event.target as HTMLInputElement;
    if (event.key !== "Enter" || name !== "url" || event.isComposing) return;
    if (trial.isTrying || !trial.isDue(value)) return;
    event.preventDefault();
    trial.start();
  }

  function submit(event: SubmitEvent) {
    event.preventDefault();
    const url = completeAddress(typed("url").trim());
    if (!stream && typed("name").trim() === "" && isAddress(url)) nameByHost(url);
    form.submit();
  }

  const parts = { form: id, initial, problems };
  const section = {
    ...parts,
    options,
    told: {
      lines: sectionLines({ values: form.values, defaults: options.defaults, stored: form.base }),
      problems: { ...problems, ...form.secretProblems },
    },
  };
  const secret = (name: SecretField) => ({
    isSet: form.base?.[setName(name)] ?? false,
    hint: notCopied.includes(name) ? `The ${SECRETS[name]} is not copied: type it again.` : undefined,
    keepProblem: form.secretProblems[name],
    resets: form.resets,
  });
  return (
    <form
      ref={refs.form}
      noValidate
      aria-busy={isBusy}
      onSubmit={submit}
      onInput={input}
      onFocusOut={leave}
      onPaste={paste}
      onKeyDown={keyDown}
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
        <PageSection {...parts} groups={groups}>
          <TryIt
            trial={trial}
            name={form.values.name}
            onName={(name) => fillForm(refs.form.current!, { name })}
            hasCertificate={String(form.values.acceptedCertificates) !== ""}
            onAccept={acceptCertificate}
            onLogin={openLogin}
          />
        </PageSection>
        <div class="section">
          <PictureChoice
            form={id}
            smoothnesses={options.qualityPresets}
            size={size}
            smoothness={smoothness}
            onChoose={choosePicture}
          />
          <CostForecast fields={cost} isToStart={!stream && form.values.onDemand !== true} />
        </div>
        <div class="folded-sections">
          <PagesSection {...section} />
          <PlanSection {...section} />
          <LoginSection {...section} secret={secret("pass")} />
          <LooksSection
            {...section}
            base={form.base}
            notCopied={notCopied}
            secretProblems={form.secretProblems}
            resets={form.resets}
          />
          <EncoderSection {...section} />
          <RunningSection {...section} />
          <NetworkSection {...section} />
          <ChannelSection {...section} />
          <PushSection {...section} secret={secret("pushKey")} />
        </div>
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
