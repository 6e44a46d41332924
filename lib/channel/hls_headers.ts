/** Headers of what the HLS proxy answers; those of security are set around everything (lib/door/headers.ts). */
import { errorResponse } from "../door/errors.ts";
import { isLocalhost } from "../reach/reach.ts";
import { isPlaylist } from "./media/hls.ts";
import type { HlsFile } from "./media/hls.ts";

const METHODS = "GET, HEAD, OPTIONS";

/** Players on other sites (a dashboard, a hosted web player, Chromecast) may read; the proxy takes it from others. */
const ALWAYS = {
  "access-control-allow-origin": "*",
  "cross-origin-resource-policy": "cross-origin",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

/**
 * Whether an Origin header is that of a page on this machine, or of one that hides: it may be one that is streamed, which
 * must not read the other channels. Our own pages ask their own origin, which needs no permission.
 */
export function isPageOfThisMachine(origin: string | null): boolean {
  if (origin === null) return false;
  const host = URL.canParse(origin) ? new URL(origin).hostname.replace(/\.$/, "") : "";
  return host === "" || isLocalhost(host) || host.startsWith("[::") ||
    /^(?:127|0)(?:\.\d+){3}$/.test(host);
}

/** How long a file may be kept by players and caches: a playlist never, a segment while it is listed and some time after. */
export function hlsCacheControl(path: string): string {
  return isPlaylist(path) ? "no-cache, no-store" : "max-age=300, immutable";
}

/** Of a playlist or segment that is there, with its whole length. */
export function fileHeaders(path: string, { type, etag, bytes }: HlsFile): Record<string, string> {
  return {
    ...ALWAYS,
    "content-type": type ?? "application/octet-stream",
    "content-length": String(bytes.length),
    "cache-control": hlsCacheControl(path),
    "accept-ranges": "bytes",
    ...(etag === null ? {} : { etag }),
  };
}

/** An error, which players of other sites can tell from a dead network. */
export function failed(status: number, message: string, also: Record<string, string> = {}): Response {
  const expose = { "access-control-expose-headers": "Retry-After, Content-Range" };
  return withHeaders(errorResponse(status, message), { ...ALWAYS, ...expose, ...also });
}

/** Browsers ask before they send another site a Range that is no plain one, or a conditional request. */
export function preflight(): Response {
  const headers = {
    ...ALWAYS,
    "allow": METHODS,
    "access-control-allow-methods": METHODS,
    "access-control-allow-headers": "Range, If-Range, If-None-Match, If-Modified-Since",
    "access-control-max-age": "86400",
  };
  return new Response(null, { status: 204, headers });
}

/** Lets players of other sites read an answer. */
export function readableByAll(response: Response): Response {
  return withHeaders(response, ALWAYS);
}

function withHeaders(response: Response, headers: Record<string, string>): Response {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}
