/**
 * The stream schema for the browser. It brings zod along, so pages load this file only when a form opens
 * (`loadValidation`); never import it statically from an island.
 */
import "./zodWithoutEval.ts";
import { gainedOrigin, gainedOriginProblem } from "../../lib/streams/login_origins.ts";
import {
  fieldProblems,
  type PublicStream,
  type StreamFields,
  streamFields,
} from "../../lib/streams/schema.ts";
import type { Problems } from "./FormSummary.tsx";

/** The problems of what stands in a form, by field; empty when the service would take it. @param base what is edited. */
export function problemsOf(values: Record<string, unknown>, base?: PublicStream): Problems {
  const result = streamFields.safeParse(values);
  const pass = passProblem(values, base);
  return { ...(pass ? { pass } : {}), ...(result.success ? {} : fieldProblems(result.error)) };
}

/** Why the stored password cannot stay, if it cannot: it could go where it was not given for. */
export function passProblem(values: Record<string, unknown>, base?: PublicStream): string | undefined {
  if (!base?.passSet || values.pass !== undefined) return undefined;
  const places = { url: String(values.url), loginOrigins: String(values.loginOrigins ?? "") };
  const origin = gainedOrigin(base, places);
  return origin === null ? undefined : gainedOriginProblem(origin);
}

/** A field's value as it would be stored ("2m" as "2M", "15s" as 15); as it is when the service would refuse it. */
export function storedValue(field: string, value: unknown): unknown {
  const rule = streamFields.shape[field as keyof StreamFields];
  const result = rule?.safeParse(value);
  return result?.success ? result.data : value;
}
