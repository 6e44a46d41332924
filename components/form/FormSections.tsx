import type { ComponentChildren } from "preact";
import type { StreamFields } from "../../lib/model/schema.ts";
import { CheckField, Field, SelectField } from "../ui/Field.tsx";
import type { FormOptions } from "./formOptions.ts";
import type { Problems } from "./FormSummary.tsx";
import { PasswordField } from "../ui/PasswordField.tsx";
import { type FoldedParts, FoldedSection } from "./FoldedSection.tsx";
import { NextDay } from "./schedule/NextDay.tsx";
import { PagesField } from "./schedule/PagesField.tsx";
import { PlanField } from "./schedule/PlanField.tsx";
import { FIELD_ROWS, type FieldRow, FIELDS } from "../../lib/model/fields.ts";

export interface FormPartProps {
  form: string;
  initial: StreamFields;
  problems: Problems;
}

/** The properties that all fields of the form have in common. */
export function named<Name extends keyof StreamFields>(
  name: Name,
  { form, initial, problems }: FormPartProps,
) {
  const { label, hint } = FIELD_ROWS[name];
  return { form, name, label, hint, problem: problems[name], initial: initial[name] };
}

/** The properties that all text fields of the form have in common. */
export function text(name: keyof StreamFields, props: FormPartProps) {
  const { initial, ...common } = named(name, props);
  const { placeholder, isNumber } = FIELD_ROWS[name];
  const input = { placeholder, ...(isNumber ? { inputMode: "decimal" } as const : {}) };
  return { ...common, ...input, defaultValue: String(initial), autocomplete: "off", spellcheck: false };
}

/** The fields of a closed section in a column, with halves beside each other. */
function FoldedFields({ section, options, ...props }: FormPartProps & {
  section: FieldRow["section"];
  options?: FormOptions;
}) {
  const fields = FIELDS.filter((field) => FIELD_ROWS[field].section === section);
  const lines: (keyof StreamFields)[][] = [];
  for (const [at, field] of fields.entries()) {
    const isBeside = at > 0 && FIELD_ROWS[field].isHalf && FIELD_ROWS[fields[at - 1]].isHalf;
    if (isBeside) lines.at(-1)!.push(field);
    else lines.push([field]);
  }
  const control = (field: keyof StreamFields) => {
    const { choices } = FIELD_ROWS[field];
    const { initial, ...common } = named(field, props);
    if (typeof initial === "boolean") return <CheckField key={field} {...common} initial={initial} />;
    return choices && options
      ? <SelectField key={field} {...common} initial={String(initial)} options={options[choices]} />
      : <Field key={field} {...text(field, props)} />;
  };
  return (
    <>
      {lines.map((line) =>
        line.length === 1 ? control(line[0]) : <div key={line[0]} class="pair">{line.map(control)}</div>
      )}
    </>
  );
}

/** A closed section's own properties, beside its fields' properties. */
export interface SectionProps extends FormPartProps {
  told: FoldedParts;
  options: FormOptions;
}

/** A secret of the form. */
interface SecretProps {
  isSet: boolean;
  hint?: string;
  /** Why the stored secret cannot stay, shown before the form is saved. */
  keepProblem?: string;
  /** A new number resets its field. */
  resets: number;
}

interface PageSectionProps extends FormPartProps {
  groups: string[];
  /** The content below the address. */
  children: ComponentChildren;
}

/** The address comes first: it is all that a stream needs. */
export function PageSection({ groups, children, ...props }: PageSectionProps) {
  const list = `${props.form}-groups`;
  return (
    <div class="section">
      <Field {...text("url", props)} inputMode="url" enterkeyhint="go" />
      {children}
      <div class="pair">
        <Field {...text("name", props)} spellcheck />
        <Field {...text("group", props)} spellcheck list={list} />
      </div>
      <datalist id={list}>
        {groups.map((group) => <option key={group} value={group} />)}
      </datalist>
    </div>
  );
}

export function PagesSection({ told, options: _, ...props }: SectionProps) {
  return (
    <FoldedSection {...told} name="pages" title="Several pages">
      <PagesField {...named("morePages", props)} />
      <Field {...text("pageSeconds", props)} />
    </FoldedSection>
  );
}

export function PlanSection({ told, options: { timeZone }, ...props }: SectionProps) {
  return (
    <FoldedSection {...told} name="plan" title="Times on air">
      {(isOpen) => (
        <>
          <PlanField {...named("plan", props)} />
          <Field {...text("planTimeZone", props)} placeholder={timeZone} />
          {isOpen && <NextDay timeZone={timeZone} />}
        </>
      )}
    </FoldedSection>
  );
}

export function LoginSection({ told, options: _, secret, ...props }: SectionProps & { secret: SecretProps }) {
  const { initial: __, ...pass } = named("pass", props);
  const { resets, ...given } = secret;
  return (
    <FoldedSection {...told} name="login" title="Sign-in">
      <p class="hint">The service fills this login into the page's form, on the page's own site only.</p>
      <div class="pair">
        <Field {...text("user", props)} />
        <PasswordField key={resets} {...pass} {...given} />
      </div>
      <Field {...text("loginOrigins", props)} />
    </FoldedSection>
  );
}

export function EncoderSection({ told, options, ...props }: SectionProps) {
  return (
    <FoldedSection {...told} name="encoder" title="Encoder">
      <FoldedFields {...props} section="picture" options={options} />
    </FoldedSection>
  );
}

const WHILE_BROKEN_LABELS = {
  last: "The last good picture",
  slate: "A slate with the channel's name",
  page: "The page as it is",
};

const REWIND_FOR_LABELS = { operators: "Operators and admins", viewers: "Viewers, too" };

/** What a box switches on is shown while the box is on. */
export function RunningSection({ told, options, ...props }: SectionProps) {
  return (
    <FoldedSection {...told} name="running" title="Behaviour">
      <CheckField {...named("audio", props)} />
      <SelectField
        {...named("whileBroken", props)}
        options={options.whileBroken}
        labels={WHILE_BROKEN_LABELS}
      />
      <CheckField {...named("onDemand", props)} />
      <div class="switched">
        <Field {...text("onDemandMinutes", props)} />
      </div>
      <CheckField {...named("autoReload", props)} />
      <div class="switched">
        <Field {...text("autoReloadInterval", props)} />
      </div>
      <Field {...text("delay", props)} />
      <CheckField {...named("rewind", props)} />
      <div class="switched">
        <SelectField {...named("rewindFor", props)} options={options.rewindFor} labels={REWIND_FOR_LABELS} />
      </div>
    </FoldedSection>
  );
}

export function NetworkSection({ told, options: _, ...props }: SectionProps) {
  return (
    <FoldedSection {...told} name="network" title="Network">
      <FoldedFields {...props} section="page" />
    </FoldedSection>
  );
}

export function ChannelSection({ told, options: _, ...props }: SectionProps) {
  return (
    <FoldedSection {...told} name="channel" title="Channel">
      <FoldedFields {...props} section="channel" />
    </FoldedSection>
  );
}

export function PushSection({ told, options: _, secret, ...props }: SectionProps & { secret: SecretProps }) {
  const { initial: __, hint, ...key } = named("pushKey", props);
  const { resets, ...given } = secret;
  return (
    <FoldedSection {...told} name="push" title="Push to another server">
      <Field {...text("pushTo", props)} />
      <PasswordField key={resets} {...key} noun="stream key" {...given} hint={given.hint ?? hint} />
    </FoldedSection>
  );
}
