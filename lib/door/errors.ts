/** Makes answers of errors; nothing else does. */
import { ServiceError } from "../errors.ts";
import { NotBegunError } from "../machine/tools/concurrency.ts";
import { isDiskFull } from "../machine/os/disk.ts";
import { errorText, log } from "../machine/tools/log.ts";
import { ProcessError } from "../machine/os/process.ts";

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

/** The answer to what a handler of the API threw; an unexpected error is logged and says nothing of its cause. */
export function apiError(error: unknown, request: Request): Response {
  if (error instanceof ServiceError) {
    const response = errorResponse(error.status, error.message, error.fields, error.extra);
    if (error.retryAfterSeconds) response.headers.set("retry-after", String(error.retryAfterSeconds));
    return response;
  }
  if (error instanceof NotBegunError) {
    return errorResponse(503, `Nothing was done: ${error.message}. Try again in a moment.`);
  }
  if (error instanceof ProcessError) {
    // a program whose client has left was ended for that
    const level = request.signal.aborted ? "debug" : "error";
    log(level, "a program did not carry out an order", { error: error.message });
    return errorResponse(503, `${error.message}. The service tries again; see the stream's state.`);
  }
  const path = withoutToken(new URL(request.url).pathname);
  if (isDiskFull(error)) {
    log("error", "the disk is full", { method: request.method, path, error: errorText(error) });
    const what = "The service's disk is full, so nothing was changed. Make room on it, then try again.";
    return errorResponse(507, what);
  }
  const status = statusOf(error);
  if (status < 500) return errorResponse(status, `There is no ${request.method} ${path.slice(0, 200)}.`);
  logFailure(error, request);
  return errorResponse(500, "The server had an error. Its log has the details.");
}

/** Logs what nobody expected. */
export function logFailure(error: unknown, { method, url }: Request): void {
  const path = withoutToken(new URL(url).pathname);
  log("error", "request failed", { method, path, error: errorText(error) });
}

/** A path for logs and messages: an access token in it is a secret. */
export function withoutToken(path: string): string {
  return path.replace(/\/t\/[^/]+/g, "/t/[token]");
}

/** The status that an error of the framework carries; 500 for all others. */
function statusOf(error: unknown): number {
  const status = error instanceof Error && "status" in error ? error.status : null;
  return typeof status === "number" ? status : 500;
}

/**
 * Whether programs rather than people ask for a path, so that its errors are JSON: the API, what access tokens open,
 * and text files at the root. A test compares this with routes/.
 */
export function isForPrograms(path: string): boolean {
  return /^\/(?:api\/(?!player-html\/)|t(?:\/|$)|hdhr(?:\/|$)|healthz$|metrics$|[^/]+\.(?:m3u8?|xml)$)/.test(
    path,
  );
}

/**
 * The path as it was sent: a URL object has `..` and backslashes tidied up, and there is none with a bad Host.
 * @param url a whole one.
 */
export function rawPath(url: string): string {
  return /^[a-z]+:\/\/[^/\\?#]*([^?#]*)/i.exec(url)?.[1] ?? "";
}

/** The answer to a request that the gate does not let in. */
export function refusal(error: ServiceError, request: Request): Response {
  if (isForPrograms(rawPath(request.url))) return apiError(error, request);
  const isRead = request.method === "GET" || request.method === "HEAD";
  const isForPeople = error.status === 403 && isRead && request.headers.get("accept")?.includes("text/html");
  const headers = {
    "content-type": `text/${isForPeople ? "html" : "plain"}; charset=utf-8`,
    "content-security-policy": "default-src 'none'; style-src 'self'",
    "cache-control": "no-store",
  };
  const text = isForPeople ? messagePage("You cannot open this page", error.message) : `${error.message}\n`;
  return new Response(text, { status: error.status, headers });
}

/** A page like those of `routes/_error.tsx`, for clients that do not get as far as the app. */
function messagePage(title: string, message: string): string {
  const text = message.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<title>${title} · Browser Stream</title>
<link rel="stylesheet" href="/styles.css">
</head>
<body>
<main id="main" class="page"><div class="empty">
<h1>${title}</h1>
<p>${text}</p>
<p><a class="button primary" href="/">Show the streams</a></p>
</div></main>
</body>
</html>
`;
}
