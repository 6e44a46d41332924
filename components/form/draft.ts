/** What a stream's form contains, compared with what is stored. Pure. */
import type { PublicStream, StreamFields } from "../../lib/model/schema.ts";
import { isSecret, setName } from "../../lib/model/secrets.ts";
import { FIELDS, labelOf } from "../../lib/model/fields.ts";

/** Values by field as the form has them: texts and yes or no. Without a secret's field: the stored one stays. */
export type Draft = Record<string, string | boolean>;

/** Makes a typed value comparable with a stored one. */
export type Normalize = (field: string, value: unknown) => unknown;

const asTyped: Normalize = (_field, value) => value;

/** The draft's fields that differ from `base`, as typed: the body of a PATCH. */
export function changes(
  draft: Draft,
  base: StreamFields | PublicStream,
  normalize: Normalize = asTyped,
): Draft {
  const stored = (field: string) => String(normalize(field, (base as Record<string, unknown>)[field] ?? ""));
  const isChanged = ([field, value]: [string, unknown]) =>
    isSecret(field) || String(normalize(field, value)) !== stored(field);
  return Object.fromEntries(Object.entries(draft).filter(isChanged));
}

/** A field whose value differs between this form and what someone else saved. */
export interface Difference {
  field: keyof StreamFields;
  label: string;
  /** What this form would save; null: not changed here. */
  yours: string | null;
  theirs: string;
}

/**
 * What differs between a form's edits and the stream that was saved meanwhile: fields changed here, and those
 * changed there.
 */
export function differences(
  edits: Draft,
  base: PublicStream,
  current: PublicStream,
  normalize: Normalize = asTyped,
): Difference[] {
  return FIELDS.flatMap((field): Difference[] => {
    const label = labelOf(field);
    if (isSecret(field)) {
      const name = setName(field);
      const theirs = current[name] ? "a stored one" : "none";
      if (!(field in edits)) {
        return current[name] === base[name] ? [] : [{ field, label, yours: null, theirs }];
      }
      if (edits[field] === "" && !current[name]) return [];
      return [{ field, label, yours: edits[field] === "" ? "none" : "a new one", theirs }];
    }
    const [before, theirs] = [base[field], current[field]];
    if (!(field in edits)) {
      if (String(before) === String(theirs)) return [];
      return [{ field, label, yours: null, theirs: shown(theirs) }];
    }
    if (String(normalize(field, edits[field])) === String(theirs)) return [];
    return [{ field, label, yours: shown(edits[field]), theirs: shown(theirs) }];
  });
}

/** A value for people. */
function shown(value: unknown): string {
  if (value === true || value === false) return value ? "yes" : "no";
  return value === "" ? "empty" : String(value);
}
