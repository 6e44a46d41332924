import type { ComponentChildren } from "preact";
import type { StreamFields } from "../../lib/model/schema.ts";
import { CheckField, Field, SelectField } from "../ui/Field.tsx";
import type { FormOptions } from "./formOptions.ts";
import type { Problems } from "./FormSummary.tsx";
import { PasswordField } from "../ui/PasswordField.tsx";
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

/** The fields of a folded part in a column, with halves beside each other. */
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
    <div class="details-body">
      {lines.map((line) =>
        line.length === 1 ? control(line[0]) : <div key={line[0]} class="pair">{line.map(control)}</div>
      )}
    </div>
  );
}

function Section({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <fieldset class="section">
      <legend>{title}</legend>
      {children}
    </fieldset>
  );
}

interface PageSectionProps extends FormPartProps {
  groups: string[];
  /** The content below the address. */
  children?: ComponentChildren;
  /** The folded parts before the certificates. */
  details?: ComponentChildren;
}

export function PageSection({ groups, children, details, ...props }: PageSectionProps) {
  const list = `${props.form}-groups`;
  return (
    <Section title="Page">
      <div class="pair">
        <Field {...text("name", props)} spellcheck />
        <Field {...text("group", props)} spellcheck list={list} />
      </div>
      <details>
        <summary>Channel: number and logo</summary>
        <FoldedFields {...props} section="channel" />
      </details>
      <datalist id={list}>
        {groups.map((group) => <option key={group} value={group} />)}
      </datalist>
      <Field {...text("url", props)} type="url" />
      {children}
      {details}
      <details>
        <summary>Advanced: certificates, statuses, other sites, proxy</summary>
        <FoldedFields {...props} section="page" />
      </details>
    </Section>
  );
}

interface QualitySectionProps extends FormPartProps {
  options: FormOptions;
  /** The choice among the presets. */
  children: ComponentChildren;
}

export function QualitySection({ options, children, ...props }: QualitySectionProps) {
  return (
    <Section title="Picture">
      {children}
      <details>
        <summary>Advanced: picture and encoder</summary>
        <FoldedFields {...props} section="picture" options={options} />
      </details>
    </Section>
  );
}

interface LoginSectionProps extends FormPartProps {
  isPassSet: boolean;
  passHint?: string;
  /** Why the stored password cannot stay, shown before the form is saved. */
  passProblem?: string;
  /** A new number resets the password field. */
  resets: number;
}

export function LoginSection({ isPassSet, passHint, passProblem, resets, ...props }: LoginSectionProps) {
  const { initial: _, ...pass } = named("pass", props);
  return (
    <Section title="Login">
      <p class="hint">The service fills this login into the page's form, on the page's own site only.</p>
      <div class="pair">
        <Field {...text("user", props)} />
        <PasswordField key={resets} {...pass} isSet={isPassSet} hint={passHint} keepProblem={passProblem} />
      </div>
      <Field {...text("loginOrigins", props)} />
    </Section>
  );
}

interface PushSectionProps extends FormPartProps {
  isKeySet: boolean;
  keyHint?: string;
  /** Why the stored key cannot stay, shown before the form is saved. */
  keyProblem?: string;
  /** A new number resets the key's field. */
  resets: number;
}

export function PushSection({ isKeySet, keyHint, keyProblem, resets, ...props }: PushSectionProps) {
  const { initial: _, hint, ...key } = named("pushKey", props);
  return (
    <details class="section">
      <summary>Push to another server: RTMP, SRT</summary>
      <div class="details-body">
        <Field {...text("pushTo", props)} />
        <PasswordField
          key={resets}
          {...key}
          noun="stream key"
          isSet={isKeySet}
          hint={keyHint ?? hint}
          keepProblem={keyProblem}
        />
      </div>
    </details>
  );
}

const WHILE_BROKEN_LABELS = {
  last: "The last good picture",
  slate: "A slate with the channel's name",
  page: "The page as it is",
};

export function BehaviourSection({ options, ...props }: FormPartProps & { options: FormOptions }) {
  return (
    <Section title="Behaviour">
      <CheckField {...named("audio", props)} />
      <SelectField
        {...named("whileBroken", props)}
        options={options.whileBroken}
        labels={WHILE_BROKEN_LABELS}
      />
      <CheckField {...named("onDemand", props)} />
      <CheckField {...named("autoReload", props)} />
      <div class="pair">
        <Field {...text("onDemandMinutes", props)} />
        <Field {...text("autoReloadInterval", props)} />
        <Field {...text("delay", props)} />
      </div>
    </Section>
  );
}
