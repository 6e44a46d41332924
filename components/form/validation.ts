/**
 * The stream schema for the browser. The schema brings zod along, so pages load this file only when a form opens
 * (`loadValidation`); never import it statically from an island.
 */
import "./zodWithoutEval.ts";
import { takenApart } from "../../lib/model/entered/address_logins.ts";
import { keepProblem } from "../../lib/model/kept_secrets.ts";
import { fieldProblems, type PublicStream, type StreamFields, streamFields } from "../../lib/model/schema.ts";
import { SECRET_FIELDS, setName } from "../../lib/model/secrets.ts";
import type { Problems } from "./FormSummary.tsx";

/** The problems of a form's values, by field; empty: the service would accept them. @param base the edited stream. */
export function problemsOf(values: Record<string, unknown>, base?: PublicStream): Problems {
  const { fields, problems } = takenApart(values, base);
  const result = streamFields.safeParse(fields);
  return {
    ...secretProblems(fields, base),
    ...problems,
    ...(result.success ? {} : fieldProblems(result.error)),
  };
}

/** Why stored secrets cannot stay, by field: they could go to a server that they were not given for. */
export function secretProblems(values: Record<string, unknown>, base?: PublicStream): Problems {
  const kept = base
    ? SECRET_FIELDS.filter((field) => base[setName(field)] && values[field] === undefined)
    : [];
  if (!base || kept.length === 0) return {};
  const typed = Object.entries(values).filter(([, value]) => value !== undefined);
  const after = Object.fromEntries(typed.map(([field, value]) => [field, storedValue(field, value)]));
  return Object.fromEntries(kept.flatMap((field) => {
    const problem = keepProblem(base, after, field);
    return problem === null ? [] : [[field, problem]];
  }));
}

/** A field's value as it would be stored ("2m" as "2M", "15s" as 15); a value that the service would refuse stays. */
export function storedValue(field: string, value: unknown): unknown {
  const rule = streamFields.shape[field as keyof StreamFields];
  const result = rule?.safeParse(value);
  return result?.success ? result.data : value;
}
