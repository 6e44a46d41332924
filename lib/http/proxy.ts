/** Forwarding to a server on loopback: streams bodies, passes on what players need, cancels with the client. */
import { errorText, log } from "../system/log.ts";
import { errorResponse } from "./errors.ts";

const PASSED_ON = ["range", "if-range", "if-none-match", "if-modified-since"];
const PASSED_BACK = [
  "content-type",
  "content-length",
  "content-range",
  "accept-ranges",
  "etag",
  "last-modified",
];

/** Milliseconds until the upstream must have begun its answer. */
const ANSWER_MS = 2000;

/**
 * The path below a proxy's prefix, or null when it could lead anywhere else. Works on the raw, still encoded path:
 * names that need an escape do not exist upstream, so any `%` is refused, and with it every double encoding.
 */
export function upstreamPath(rawPath: string): string | null {
  if (rawPath.length > 512 || !/^\/?[A-Za-z0-9._~\/-]+$/.test(rawPath)) return null;
  const segments = rawPath.replace(/^\//, "").split("/");
  if (segments.some((segment) => segment === "" || segment.startsWith("."))) return null;
  return "/" + segments.join("/");
}

/** The answer of `target` for a GET or HEAD; 502 with Retry-After when it gives none within 2 s. @param server for that message. */
export async function proxy(
  request: Request,
  target: string,
  cacheControl?: string,
  server = "media server",
): Promise<Response> {
  const headers = new Headers();
  for (const name of PASSED_ON) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  // a client that goes away cancels the body it was sent, and with it the upstream's
  const cancel = new AbortController();
  const timer = setTimeout(() => cancel.abort(), ANSWER_MS);
  try {
    const upstream = await fetch(target, {
      method: request.method,
      headers,
      signal: cancel.signal,
      redirect: "manual",
    });
    const passed = new Headers();
    for (const name of PASSED_BACK) {
      const value = upstream.headers.get(name);
      if (value !== null) passed.set(name, value);
    }
    const isGood = upstream.ok || upstream.status === 304;
    passed.set("cache-control", isGood && cacheControl ? cacheControl : "no-store");
    return new Response(upstream.body, { status: upstream.status, headers: passed });
  } catch (error) {
    log("debug", "upstream gave no answer", { target, error: errorText(error) });
    const response = errorResponse(
      502,
      `The ${server} does not answer. It is being restarted; try again.`,
    );
    response.headers.set("retry-after", "1");
    return response;
  } finally {
    clearTimeout(timer);
  }
}
