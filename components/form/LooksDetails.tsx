import { useState } from "preact/hooks";
import type { PublicStream } from "../../lib/model/schema.ts";
import { type SecretField, SECRETS, setName } from "../../lib/model/secrets.ts";
import { CheckField, Field, LinesField, SelectField } from "../ui/Field.tsx";
import { PasswordField } from "../ui/PasswordField.tsx";
import { type FormPartProps, named, NUMBER, text } from "./FormSections.tsx";
import { ExtensionsField } from "./ExtensionsField.tsx";
import type { FormOptions } from "./formOptions.ts";
import type { Problems } from "./FormSummary.tsx";
import { LooksPreview } from "./preview/LooksPreview.tsx";

interface LooksDetailsProps extends FormPartProps {
  options: FormOptions;
  /** The stream that is edited. */
  base?: PublicStream;
  /** Secrets that a copy has to be given again. */
  notCopied: readonly SecretField[];
  /** Why stored secrets cannot stay. */
  secretProblems: Problems;
  /** A new number resets the secrets' fields. */
  resets: number;
}

const SCHEMES = { auto: "As the page likes", light: "Light", dark: "Dark" };

/** How the page is to look on a screen: folded away, since most pages need none of it. */
export function LooksDetails({ options, ...props }: LooksDetailsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Advanced: how the page looks</summary>
      <div class="details-body">
        <div class="pair">
          <Field {...text("zoom", props)} {...NUMBER} hint="25 to 500" />
          <SelectField
            {...named("colorScheme", props)}
            hint="For pages that ask for light or dark."
            options={options.colorSchemes}
            labels={SCHEMES}
          />
          <Field {...text("language", props)} placeholder="en-US" hint="Such as de-DE, or de-DE, en" />
          <Field {...text("timeZone", props)} placeholder="This machine's" hint="Such as Europe/Berlin" />
        </div>
        <Field {...text("userAgent", props)} placeholder="Chromium's own" />
        <CheckField
          {...named("hideBanners", props)}
          hint="Those of the tools that most sites use. They are not answered, only hidden."
        />
        <LinesField
          {...text("hideSelectors", props)}
          placeholder="#cookie-banner"
          hint="CSS selectors, one on each line."
        />
        <LinesField {...text("css", props)} class="code" placeholder="body { font-size: 150%; }" />
        <LinesField
          {...text("js", props)}
          class="code"
          hint="Runs when the document is there, apart from the page's own scripts: it sees the page, not their variables. Its errors are among the stream's events."
        />
        <Secret {...props} name="extraHeaders" placeholder="X-Api-Key: 12345" hint="One on each line." />
        <Secret
          {...props}
          name="extraCookies"
          placeholder="session=12345"
          hint="One on each line. Headers and cookies go to the page's own site alone, headers to those of its login, too."
        />
        <ExtensionsField {...named("extensions", props)} isOpen={isOpen} />
        {isOpen && <LooksPreview defaults={options.defaults} stream={props.base?.id} />}
      </div>
    </details>
  );
}

interface SecretProps extends Omit<LooksDetailsProps, "options"> {
  name: SecretField;
  placeholder: string;
  hint: string;
}

function Secret({ name, placeholder, hint, base, notCopied, secretProblems, resets, ...props }: SecretProps) {
  const { initial: _, ...field } = named(name, props);
  return (
    <PasswordField
      key={resets}
      {...field}
      noun={SECRETS[name]}
      isList
      isSet={base?.[setName(name)] ?? false}
      placeholder={placeholder}
      hint={notCopied.includes(name) ? `The ${SECRETS[name]} are not copied: type them again.` : hint}
      keepProblem={secretProblems[name]}
    />
  );
}
