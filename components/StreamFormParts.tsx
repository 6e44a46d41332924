import type { StreamFields } from "../lib/streams/stream.ts";
import { CheckField, Field, SelectField } from "./Field.tsx";
import type { FormOptions } from "./formOptions.ts";
import type { Problems } from "./FormSummary.tsx";

export interface FormPartProps {
  form: string;
  initial: StreamFields;
  problems: Problems;
}

/** What every field of the form has in common. */
export function field(name: keyof StreamFields, { form, initial, problems }: FormPartProps) {
  return { form, name, problem: problems[name], defaultValue: String(initial[name]) };
}

const NUMBERS = { inputMode: "decimal", autocomplete: "off", spellcheck: false } as const;
const TEXT = { autocomplete: "off", spellcheck: false } as const;

export function SoundAndReload(props: FormPartProps) {
  const { form, initial, problems } = props;
  return (
    <div class="pair">
      <div>
        <CheckField
          form={form}
          name="audio"
          label="Send the page's sound"
          problem={problems.audio}
          initial={initial.audio}
        />
        <CheckField
          form={form}
          name="autoReload"
          label="Reload the page regularly"
          problem={problems.autoReload}
          initial={initial.autoReload}
        />
      </div>
      <Field {...field("autoReloadInterval", props)} {...NUMBERS} label="Minutes between reloads" />
    </div>
  );
}

export function SignIn(props: FormPartProps & { isPassSet: boolean }) {
  return (
    <details>
      <summary>Sign-in on the page</summary>
      <div class="details-body">
        <div class="pair">
          <Field {...field("user", props)} {...TEXT} label="User name" />
          <Field
            {...field("pass", props)}
            label="Password"
            type="password"
            autocomplete="new-password"
            hint={props.isPassSet ? "A password is stored. Leave this empty to keep it." : undefined}
          />
        </div>
        <Field
          {...field("delay", props)}
          {...TEXT}
          label="Seconds to wait before signing in"
          hint="For pages that show their sign-in form late."
        />
      </div>
    </details>
  );
}

interface PictureNumbersProps extends FormPartProps {
  options: FormOptions;
  onInput: () => void;
}

export function PictureNumbers({ options, onInput, ...props }: PictureNumbersProps) {
  const { form, initial, problems } = props;
  return (
    <details onInput={onInput}>
      <summary>Advanced: picture and encoder</summary>
      <div class="details-body">
        <div class="pair">
          <Field
            {...field("resolution", props)}
            {...TEXT}
            label="Browser window, pixels"
            hint="How large the page is drawn."
          />
          <Field {...field("scale", props)} {...TEXT} label="Picture, pixels" hint="How large it is sent." />
          <Field {...field("fps", props)} {...NUMBERS} label="Frames per second" hint="1 to 60" />
          <Field
            {...field("gop", props)}
            {...NUMBERS}
            label="Frames between keyframes"
            hint="0: one second"
          />
          <Field {...field("bitrate", props)} {...TEXT} label="Bit rate" hint="Such as 1500k or 4M" />
          <Field {...field("bufsize", props)} {...TEXT} label="Rate buffer" hint="Such as 3000k" />
          <SelectField
            form={form}
            name="preset"
            label="Encoder preset"
            hint="Slower looks better and needs more CPU."
            problem={problems.preset}
            options={options.presets}
            initial={initial.preset}
          />
          <SelectField
            form={form}
            name="tune"
            label="Encoder tune"
            problem={problems.tune}
            options={options.tunes}
            initial={initial.tune}
          />
          <Field {...field("threads", props)} {...NUMBERS} label="Encoder threads" hint="0: automatic" />
          <CheckField
            form={form}
            name="gpu"
            label="Draw the page with the GPU"
            problem={problems.gpu}
            initial={initial.gpu}
          />
        </div>
      </div>
    </details>
  );
}
