import { zoneText } from "../moment.ts";
import { momentsOf } from "./localTime.ts";
import { Segments } from "../../ui/Segments.tsx";

/** A moment as it is typed. */
export interface TypedMoment {
  text: string;
  /** Unix time in s; null: it is none. */
  at: number | null;
}

interface MomentFieldProps {
  name: string;
  label: string;
  value: TypedMoment;
  problem?: string;
  onChange: (value: TypedMoment) => void;
}

/** A date and a time to the second, in the viewer's own time zone, also where its clock shows a time twice. */
export function MomentField({ name, label, value, problem, onChange }: MomentFieldProps) {
  const id = `export-${name}`;
  const moments = momentsOf(value.text) ?? [];
  const zones = Object.fromEntries(moments.map((at) => [String(at), zoneText(at)]));

  function type(text: string) {
    const moments = momentsOf(text) ?? [];
    const isSame = value.at !== null && moments.includes(value.at);
    onChange({ text, at: isSame ? value.at : moments[0] ?? null });
  }

  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type="datetime-local"
        step={1}
        max="9999-12-31T23:59:59"
        value={value.text}
        aria-invalid={problem ? true : undefined}
        aria-describedby={problem ? `${id}-problem` : undefined}
        onInput={(event) => type(event.currentTarget.value)}
      />
      {problem && <p class="problem" id={`${id}-problem`}>{problem}</p>}
      {moments.length > 1 && (
        <Segments
          name={`${id}-zone`}
          label="The clock showed this twice. Which one?"
          options={zones}
          value={String(value.at)}
          onChange={(at) => onChange({ text: value.text, at: Number(at) })}
        />
      )}
    </div>
  );
}
