import { PICTURE_SIZES } from "../../../lib/model/picture_size.ts";
import { OTHER, SIZE_NAMES, type Smoothness } from "./picture.ts";

const SMOOTHNESS_HINTS: Record<string, string> = {
  Dashboard: "10 fps, light on the machine",
  Video: "30 fps, smooth motion",
};

interface PictureChoiceProps {
  form: string;
  smoothnesses: Smoothness;
  size: string;
  smoothness: string;
  onChoose: (size: string, smoothness: string) => void;
  /** Whether the form has no numbers to edit. */
  isFixed?: boolean;
}

/** The picture's size and smoothness; their numbers stay editable under "Encoder". */
export function PictureChoice(props: PictureChoiceProps) {
  const { form, smoothnesses, size, smoothness, onChoose, isFixed } = props;
  const isOffered = (name: string) => !isFixed || name !== OTHER;
  return (
    <>
      <Choices
        name={`${form}-size`}
        label="Size"
        class="sizes"
        options={SIZE_NAMES.filter(isOffered).map((name) => [name, PICTURE_SIZES[name]?.replace("x", "×")])}
        chosen={size}
        onChoose={(size) => onChoose(size, smoothness)}
      />
      <Choices
        name={`${form}-smoothness`}
        label="Smoothness"
        options={[...Object.keys(smoothnesses), OTHER].filter(isOffered).map((name) => [
          name,
          SMOOTHNESS_HINTS[name],
        ])}
        chosen={smoothness}
        onChoose={(smoothness) => onChoose(size, smoothness)}
      />
    </>
  );
}

interface ChoicesProps {
  name: string;
  label: string;
  class?: string;
  /** Each option with its hint; none: the numbers are a person's own. */
  options: readonly (readonly [name: string, hint?: string])[];
  chosen: string;
  onChoose: (name: string) => void;
}

function Choices({ name, label, options, chosen, onChoose, ...props }: ChoicesProps) {
  return (
    <div class="field" role="radiogroup" aria-labelledby={`${name}-label`}>
      <p class="label" id={`${name}-label`}>{label}</p>
      <div class={`picture-choices ${props.class ?? ""}`}>
        {options.map(([option, hint]) => (
          <label key={option} class="choice">
            <input
              type="radio"
              name={name}
              value={option}
              checked={option === chosen}
              onChange={() => onChoose(option)}
            />
            <span class="choice-name">{option}</span>
            <span class="hint">{hint ?? "your own numbers"}</span>
          </label>
        ))}
      </div>
    </div>
  );
}
