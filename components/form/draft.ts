/** The values of a stream's form, compared with the stored values. Pure. */
import type { PublicStream, StreamFields } from "../../lib/model/schema.ts";
import { isSecret, setName } from "../../lib/model/secrets.ts";
import { FIELDS, labelOf } from "../../lib/model/fields.ts";

/** The form's values by field: texts and yes or no. A secret without a field: the stored secret stays. */
export type Draft = Record<string, string | boolean>;

/** Makes a typed value comparable with a stored value. */
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

/** A field whose value differs between this form and another person's saved version. */
export interface Difference {
  field: keyof StreamFields;
  label: string;
  /** The value that this form would save; null: the form has not changed it. */
  yours: string | null;
  theirs: string;
}

/**
 * The differences between a form's edits and the stream that was saved meanwhile: fields that either side has
 * changed.
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

/** A value in words for people. */
function shown(value: unknown): string {
  if (value === true || value === false) return value ? "yes" : "no";
  return value === "" ? "empty" : String(value);
}
