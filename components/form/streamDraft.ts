/** What stands in a stream's form against what is stored. Pure. */
import type { PublicStream, StreamFields } from "../../lib/streams/schema.ts";

/** Values by field as the form has them: texts and yes or no. Without `pass`: the stored password stays. */
export type Draft = Record<string, string | boolean>;

/** Every field as people read it, in the form's order. */
export const FIELD_LABELS: Record<keyof StreamFields, string> = {
  name: "Name",
  url: "Page address",
  group: "Group",
  resolution: "Browser window, pixels",
  scale: "Picture, pixels",
  fps: "Frames per second",
  gop: "Frames between keyframes",
  bitrate: "Bit rate",
  bufsize: "Rate buffer",
  preset: "Encoder preset",
  tune: "Encoder tune",
  threads: "Encoder threads",
  gpu: "Draw the page with the GPU",
  user: "User name",
  pass: "Password",
  audio: "Send the page's sound",
  delay: "Seconds until it goes on air",
  autoReload: "Reload the page regularly",
  autoReloadInterval: "Minutes between reloads",
};

export const FIELDS = Object.keys(FIELD_LABELS) as (keyof StreamFields)[];

/** Makes a typed value comparable with a stored one. */
export type Normal = (field: string, value: unknown) => unknown;

const asTyped: Normal = (_field, value) => value;

/** The draft's fields that differ from `base`, as typed: the body of a PATCH. */
export function changes(draft: Draft, base: StreamFields | PublicStream, normal: Normal = asTyped): Draft {
  const stored = (field: string) => String(normal(field, (base as Record<string, unknown>)[field] ?? ""));
  const isChanged = ([field, value]: [string, unknown]) =>
    field === "pass" || String(normal(field, value)) !== stored(field);
  return Object.fromEntries(Object.entries(draft).filter(isChanged));
}

/** A field that two people see differently. */
export interface Difference {
  field: keyof StreamFields;
  label: string;
  /** What this form would save; null: left alone here. */
  yours: string | null;
  theirs: string;
}

/**
 * What differs between a form's changes and the stream that was saved meanwhile: fields changed here, and those
 * changed there.
 */
export function differences(
  mine: Draft,
  base: PublicStream,
  current: PublicStream,
  normal: Normal = asTyped,
): Difference[] {
  return FIELDS.flatMap((field): Difference[] => {
    const label = FIELD_LABELS[field];
    if (field === "pass") {
      if (!("pass" in mine)) {
        if (current.passSet === base.passSet) return [];
        return [{ field, label, yours: null, theirs: storedPassword(current) }];
      }
      if (mine.pass === "" && !current.passSet) return [];
      const yours = mine.pass === "" ? "none" : "a new one";
      return [{ field, label, yours, theirs: storedPassword(current) }];
    }
    const [before, theirs] = [base[field], current[field]];
    if (!(field in mine)) {
      if (String(before) === String(theirs)) return [];
      return [{ field, label, yours: null, theirs: shown(theirs) }];
    }
    if (String(normal(field, mine[field])) === String(theirs)) return [];
    return [{ field, label, yours: shown(mine[field]), theirs: shown(theirs) }];
  });
}

function storedPassword({ passSet }: PublicStream): string {
  return passSet ? "a stored one" : "none";
}

/** A value for people. */
function shown(value: unknown): string {
  if (value === true || value === false) return value ? "yes" : "no";
  return value === "" ? "empty" : String(value);
}

/** A name for a stream's duplicate that none of `taken` has, of at most 120 characters. */
export function copyName(name: string, taken: readonly string[]): string {
  for (let n = 1;; n++) {
    const end = n === 1 ? " copy" : ` copy ${n}`;
    const candidate = [...name].slice(0, 120 - end.length).join("").trimEnd() + end;
    if (!taken.includes(candidate)) return candidate;
  }
}

/** The groups in use, each once, by name. */
export function groupsOf(streams: readonly PublicStream[]): string[] {
  return [...new Set(streams.map(({ group }) => group))].filter(Boolean).sort((a, b) => a.localeCompare(b));
}
