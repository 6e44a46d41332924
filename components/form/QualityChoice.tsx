import type { StreamFields } from "../../lib/model/schema.ts";

const HINTS: Record<string, string> = {
  Dashboard: "10 fps, light on the machine",
  Video: "30 fps, smooth motion",
};

interface QualityChoiceProps {
  form: string;
  qualityPresets: Record<string, Partial<StreamFields>>;
  chosen: string;
  onChoose: (name: string) => void;
  /** Whether the form has no numbers to edit. */
  isFixed?: boolean;
}

/** Starting points for the quality of the picture; its numbers stay editable below, which makes the choice "Custom". */
export function QualityChoice({ form, qualityPresets, chosen, onChoose, isFixed }: QualityChoiceProps) {
  return (
    <div class="choices" role="radiogroup" aria-label="Preset">
      {[...Object.keys(qualityPresets), ...(isFixed ? [] : [CUSTOM])].map((name) => (
        <label key={name} class="choice">
          <input
            type="radio"
            name={`${form}-quality`}
            value={name}
            checked={name === chosen}
            onChange={() =>
              onChoose(name)}
          />
          <span class="choice-name">{name}</span>
          <span class="hint">{HINTS[name] ?? "your own numbers"}</span>
        </label>
      ))}
    </div>
  );
}

export const CUSTOM = "Custom";

/** The quality preset with exactly these numbers. */
export function presetOf(
  qualityPresets: Record<string, Partial<StreamFields>>,
  valueOf: (field: string) => unknown,
): string {
  const match = Object.entries(qualityPresets).find(([, numbers]) =>
    Object.entries(numbers).every(([field, value]) => String(valueOf(field)) === String(value))
  );
  return match?.[0] ?? CUSTOM;
}
