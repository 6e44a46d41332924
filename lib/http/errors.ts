/** Errors -> answers; the only place that shapes them. */
import { HttpError } from "fresh";
import { ServiceError } from "../errors.ts";
import { errorText, log } from "../system/log.ts";
import { ProcessError } from "../system/process.ts";

export interface ErrorBody {
  error: { message: string; fields?: Record<string, string> };
}

/** `extra` stands beside the error, such as `current` of a 409. */
export function errorResponse(
  status: number,
  message: string,
  fields?: Record<string, string>,
  extra?: Record<string, unknown>,
): Response {
  const body: ErrorBody = { ...extra, error: { message, ...(fields ? { fields } : {}) } };
  return Response.json(body, { status, headers: { "cache-control": "no-store" } });
}

/** The answer to what a handler of the API threw; an unexpected error is logged and tells nothing of itself. */
export function apiError(error: unknown, request: Request): Response {
  if (error instanceof ServiceError) {
    return errorResponse(error.status, error.message, error.fields, error.extra);
  }
  if (error instanceof ProcessError) {
    log("error", "a program did not do as told", { error: error.message });
    return errorResponse(503, `${error.message}. It is tried again; see the stream's state.`);
  }
  const path = new URL(request.url).pathname;
  if (error instanceof HttpError && error.status < 500) {
    return errorResponse(error.status, `There is no ${request.method} ${path.slice(0, 200)}.`);
  }
  log("error", "request failed", { method: request.method, path, error: errorText(error) });
  return errorResponse(500, "Something went wrong on the server; its log says what.");
}
