/** Security headers, set around the whole handler: error pages render outside the middlewares. */
import { FIRST_PAINT_SCRIPT, scriptHash } from "./inline_script.ts";

interface PolicyOptions {
  /** Another origin that playlists and segments may come from, such as "http://wall.example.org:8888". */
  media?: string;
  /** Of a rendered page's own inline scripts. */
  nonce?: string;
}

/** What a page may load. */
export function contentPolicy({ media, nonce }: PolicyOptions = {}): string {
  const also = media ? ` ${media}` : "";
  return [
    "default-src 'self'",
    `script-src 'self' ${scriptHash(FIRST_PAINT_SCRIPT)}${nonce ? ` 'nonce-${nonce}'` : ""}`,
    "img-src 'self' data: blob:",
    `connect-src 'self'${also}`,
    // hls.js plays through blob: addresses and runs its demuxer in a worker
    `media-src 'self' blob:${also}`,
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'self'",
  ].join("; ");
}

const CONTENT_POLICY = contentPolicy();

/** Upstream Fresh starts islands by an inline script and leaves its nonce here; lib/fresh starts them by a file. */
const FRESH_NONCE = Symbol.for("__freshNonce");

function pagePolicy(response: Response & { [FRESH_NONCE]?: string }): string {
  const nonce = response[FRESH_NONCE];
  return nonce === undefined ? CONTENT_POLICY : contentPolicy({ nonce });
}

/** Sets the security headers of every answer; nothing else does. A page's own content policy and frame rule stay. */
export function withSecurityHeaders(response: Response): Response {
  if (response.status === 101) return response;
  try {
    secure(response);
    return response;
  } catch {
    // the headers of a redirect, and of what fetch gave, cannot be set; only these are copied, since a copy's body is
    // always a stream, for which Deno takes longer
    const copy = new Response(response.body, response);
    secure(copy);
    return copy;
  }
}

function secure(response: Response): void {
  const { headers } = response;
  headers.set("x-content-type-options", "nosniff");
  headers.set("referrer-policy", "same-origin");
  if (!headers.has("content-security-policy")) headers.set("content-security-policy", pagePolicy(response));
  if (!headers.has("x-frame-options")) headers.set("x-frame-options", "SAMEORIGIN");
}

/** Keeps an answer whose address is a secret out of shared caches, and its address out of other sites' logs. */
export function withoutTraces(response: Response): Response {
  const { headers } = response;
  const cacheControl = headers.get("cache-control");
  headers.set("cache-control", cacheControl ? `private, ${cacheControl}` : "private");
  headers.set("referrer-policy", "no-referrer");
  return response;
}

/** Headers of an answer that is saved as a file. @param name letters, digits, "-" and "." only. */
export function attachment(name: string, type: string): Record<string, string> {
  if (!/^[\w.-]+$/.test(name)) throw new Error(`"${name}" is no name for a download`);
  return {
    "content-type": type,
    "content-disposition": `attachment; filename="${name}"`,
    "cache-control": "no-store",
  };
}
