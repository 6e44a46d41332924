/**
 * The stream schema for the browser. It brings zod along, so pages load this file only when a form opens
 * (`loadValidation`); never import it statically from an island.
 */
import "./zodWithoutEval.ts";
import { fieldProblems, type StreamFields, streamFields } from "../../lib/streams/schema.ts";
import type { Problems } from "./FormSummary.tsx";

/** The problems of what stands in a form, by field; empty when the service would take it. */
export function problemsOf(values: Record<string, unknown>): Problems {
  const result = streamFields.safeParse(values);
  return result.success ? {} : fieldProblems(result.error);
}

/** A field's value as it would be stored ("2m" as "2M", "15s" as 15); as it is when the service would refuse it. */
export function storedValue(field: string, value: unknown): unknown {
  const rule = streamFields.shape[field as keyof StreamFields];
  const result = rule?.safeParse(value);
  return result?.success ? result.data : value;
}
