import { FIELD_ROWS } from "../../lib/model/fields.ts";
import type { PublicStream } from "../../lib/model/schema.ts";
import { type SecretField, SECRETS, setName } from "../../lib/model/secrets.ts";
import { CheckField, Field, LinesField, SelectField } from "../ui/Field.tsx";
import { PasswordField } from "../ui/PasswordField.tsx";
import { FoldedSection } from "./FoldedSection.tsx";
import { named, type SectionProps, text } from "./FormSections.tsx";
import { ExtensionsField } from "./ExtensionsField.tsx";
import type { Problems } from "./FormSummary.tsx";
import { LooksPreview } from "./preview/LooksPreview.tsx";

interface LooksSectionProps extends SectionProps {
  /** The stream that is edited. */
  base?: PublicStream;
  /** Secrets that a person has to type again for a copy. */
  notCopied: readonly SecretField[];
  /** Why stored secrets cannot stay. */
  secretProblems: Problems;
  /** A new number resets the secrets' fields. */
  resets: number;
}

const SCHEMES = { auto: "The page decides", light: "Light", dark: "Dark" };

/** The settings of the page's look on a screen. */
export function LooksSection({ told, options, ...props }: LooksSectionProps) {
  return (
    <FoldedSection {...told} name="looks" title="Looks">
      {(isOpen) => (
        <>
          <div class="pair">
            <Field {...text("zoom", props)} />
            <SelectField
              {...named("colorScheme", props)}
              options={options.colorSchemes}
              labels={SCHEMES}
            />
            <Field {...text("language", props)} />
            <Field {...text("timeZone", props)} />
          </div>
          <Field {...text("userAgent", props)} />
          <CheckField {...named("hideBanners", props)} />
          <LinesField {...text("hideSelectors", props)} />
          <LinesField {...text("css", props)} class="code" />
          <LinesField {...text("js", props)} class="code" />
          <Secret {...props} name="extraHeaders" />
          <Secret {...props} name="extraCookies" />
          <ExtensionsField {...named("extensions", props)} isOpen={isOpen} />
          {isOpen && <LooksPreview defaults={options.defaults} stream={props.base?.id} />}
        </>
      )}
    </FoldedSection>
  );
}

interface SecretProps extends Omit<LooksSectionProps, "options" | "told"> {
  name: SecretField;
}

function Secret({ name, base, notCopied, secretProblems, resets, ...props }: SecretProps) {
  const { initial: _, hint, ...field } = named(name, props);
  return (
    <PasswordField
      key={resets}
      {...field}
      noun={SECRETS[name]}
      isList
      isSet={base?.[setName(name)] ?? false}
      placeholder={FIELD_ROWS[name].placeholder}
      hint={notCopied.includes(name) ? `The ${SECRETS[name]} are not copied: type them again.` : hint}
      keepProblem={secretProblems[name]}
    />
  );
}
