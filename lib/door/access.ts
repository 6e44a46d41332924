/** Which addresses need a session, and what the others get who have none. */
import { loginAddress } from "./access/own_path.ts";
import { ServiceError } from "../errors.ts";
import { isForPrograms, rawPath, refusal } from "./errors.ts";

/** What a visitor without a session may see: the health check, and the login page with what it is made of. */
const FREE: ReadonlySet<string> = new Set([
  ...["/healthz", "/login"],
  ...["/styles.css", "/icon.svg", "/favicon.ico", "/manifest.webmanifest"],
  ...["/icon-192.png", "/icon-512.png", "/icon-maskable-512.png"],
]);

/** Whether a request wants to become a WebSocket. */
export function isWebSocket({ headers }: Request): boolean {
  return headers.get("upgrade")?.toLowerCase().split(/\s*,\s*/).includes("websocket") ?? false;
}

/**
 * Whether everybody may ask for an address. It is compared as it was sent: another spelling is not free. A WebSocket is
 * the same one on every path, so none is free.
 */
export function isFree(request: Request): boolean {
  return FREE.has(rawPath(request.url)) && !isWebSocket(request);
}

/** Whether people open a path in their browser, so that a login page helps them: no API, no script, no picture. */
export function isPage(path: string): boolean {
  return !isForPrograms(path) && /^[^.]*(?:\.html)?$/.test(path);
}

/** Whether a request is one of those that a token for metrics opens. */
export function isForMetrics(request: Request): boolean {
  const isRead = request.method === "GET" || request.method === "HEAD";
  return isRead && rawPath(request.url) === "/metrics" && !isWebSocket(request);
}

/** 401: the client asks for metrics with neither a token for them nor a session. */
export function metricsRefused(): ServiceError {
  return new ServiceError(
    401,
    "The metrics need a login, or the token that METRICS_TOKEN sets: as a Bearer token, or as the password of Basic.",
  );
}

/** Whether an answer to this request renews the session's cookie: the API's answers, the players' among them, do not. */
export function renewsSession(request: Request): boolean {
  const path = rawPath(request.url);
  return isPage(path) && !path.startsWith("/api/") && !isFree(request);
}

/** The answer to a request that needs a session and has none: people get to the login page, programs a 401. */
export function withoutSession(request: Request): Response {
  const path = rawPath(request.url);
  const isRead = request.method === "GET" || request.method === "HEAD";
  const isOpened = isPage(path) && !request.headers.has("upgrade");
  if (isOpened && (isRead || path === "/logout")) {
    const { pathname, search } = new URL(request.url);
    const location = loginAddress(isRead ? pathname + search : "/");
    return new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });
  }
  return refusal(
    new ServiceError(401, "You are not logged in. Log in at /login in a browser, then try again."),
    request,
  );
}
