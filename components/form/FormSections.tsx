import type { ComponentChildren } from "preact";
import type { StreamFields } from "../../lib/model/schema.ts";
import { CheckField, Field, SelectField } from "../ui/Field.tsx";
import type { FormOptions } from "./formOptions.ts";
import type { Problems } from "./FormSummary.tsx";
import { PasswordField } from "../ui/PasswordField.tsx";
import { FIELD_LABELS } from "../../lib/model/field_labels.ts";

export interface FormPartProps {
  form: string;
  initial: StreamFields;
  problems: Problems;
}

/** What every field of the form has in common. */
export function named<Name extends keyof StreamFields>(
  name: Name,
  { form, initial, problems }: FormPartProps,
) {
  return { form, name, label: FIELD_LABELS[name], problem: problems[name], initial: initial[name] };
}

/** What every text field of the form has in common. */
export function text(name: keyof StreamFields, props: FormPartProps) {
  const { initial, ...common } = named(name, props);
  return { ...common, defaultValue: String(initial), autocomplete: "off", spellcheck: false };
}

export const NUMBER = { inputMode: "decimal" } as const;

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
  /** Below the address. */
  children?: ComponentChildren;
  /** What is folded away, before the certificates. */
  details?: ComponentChildren;
}

export function PageSection({ groups, children, details, ...props }: PageSectionProps) {
  const list = `${props.form}-groups`;
  return (
    <Section title="Page">
      <div class="pair">
        <Field {...text("name", props)} placeholder="Sales dashboard" spellcheck />
        <Field {...text("group", props)} placeholder="None" spellcheck list={list} />
      </div>
      <datalist id={list}>
        {groups.map((group) => <option key={group} value={group} />)}
      </datalist>
      <Field {...text("url", props)} type="url" placeholder="https://grafana.example.org/d/overview" />
      {children}
      {details}
      <details>
        <summary>Advanced: certificates, statuses, other sites, proxy</summary>
        <div class="details-body">
          <Field
            {...text("acceptedCertificates", props)}
            placeholder="None"
            hint="Fingerprints (SHA-256) of certificates that this page may have although nobody vouches for them. The card offers one when it meets it."
          />
          <div class="pair">
            <Field
              {...text("acceptedStatuses", props)}
              placeholder="None"
              hint="Such as 404, for a page that is right as it is although its server calls it an error."
            />
            <Field
              {...text("sites", props)}
              placeholder="https://news.example.org"
              hint="Sites that the page goes on to by itself, and is not brought back from."
            />
          </div>
          <Field
            {...text("proxy", props)}
            placeholder="As the service is set"
            hint="Such as http://proxy.example.org:3128, by which the page's addresses are reached; direct: without one."
          />
        </div>
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
        <div class="details-body">
          <div class="pair">
            <Field {...text("resolution", props)} hint="How large the page is drawn." />
            <Field {...text("scale", props)} hint="How large it is sent." />
            <Field {...text("fps", props)} {...NUMBER} hint="1 to 60" />
            <Field {...text("gop", props)} {...NUMBER} hint="0: one second" />
            <Field {...text("bitrate", props)} hint="Such as 1500k or 4M" />
            <Field {...text("bufsize", props)} hint="Such as 3000k" />
            <SelectField
              {...named("preset", props)}
              hint="Slower looks better and needs more CPU."
              options={options.encoderPresets}
            />
            <SelectField
              {...named("tune", props)}
              hint="What the encoder favours."
              options={options.encoderTunes}
            />
            <Field {...text("threads", props)} {...NUMBER} hint="0: automatic" />
            <Field
              {...text("memoryLimitMb", props)}
              {...NUMBER}
              hint="For the page and its picture together"
            />
            <CheckField {...named("gpu", props)} />
          </div>
        </div>
      </details>
    </Section>
  );
}

interface LoginSectionProps extends FormPartProps {
  isPassSet: boolean;
  passHint?: string;
  /** Why the stored one cannot stay, told before it is saved. */
  passProblem?: string;
  /** A new number resets the password field. */
  resets: number;
}

export function LoginSection({ isPassSet, passHint, passProblem, resets, ...props }: LoginSectionProps) {
  const { initial: _, ...pass } = named("pass", props);
  return (
    <Section title="Login">
      <p class="hint">For pages that ask for one: filled into their form, on the page's own site only.</p>
      <div class="pair">
        <Field {...text("user", props)} />
        <PasswordField key={resets} {...pass} isSet={isPassSet} hint={passHint} keepProblem={passProblem} />
      </div>
      <Field
        {...text("loginOrigins", props)}
        placeholder="https://sso.example.org"
        hint="Where the page sends people to sign in, if that is another site: these may get the password, too."
      />
    </Section>
  );
}

const WHILE_BROKEN_LABELS = {
  last: "The last good picture",
  slate: "A calm slate with the channel's name",
  page: "The page as it is",
};

export function BehaviourSection({ options, ...props }: FormPartProps & { options: FormOptions }) {
  return (
    <Section title="Behaviour">
      <CheckField {...named("audio", props)} />
      <SelectField
        {...named("whileBroken", props)}
        hint="A page is broken when it cannot be loaded, hangs or has crashed. Somebody in the browser by VNC sees it as it is."
        options={options.whileBroken}
        labels={WHILE_BROKEN_LABELS}
      />
      <CheckField
        {...named("onDemand", props)}
        hint="Its programs end when the last viewer has left. The next one waits some seconds for the picture."
      />
      <CheckField {...named("autoReload", props)} />
      <div class="pair">
        <Field {...text("onDemandMinutes", props)} {...NUMBER} hint="Until its programs end; such as 5" />
        <Field {...text("autoReloadInterval", props)} {...NUMBER} hint="Such as 30; 0.5 is half a minute" />
        <Field {...text("delay", props)} hint="So that nobody sees the login; such as 15" />
      </div>
    </Section>
  );
}
