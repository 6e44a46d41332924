/** Security headers, set around the whole handler: error pages render outside the middlewares. */
import { FIRST_PAINT_SCRIPT, scriptHash } from "./inline_script.ts";

/**
 * What a page may load.
 * @param media another origin that playlists and segments may come from, such as "http://wall.example.org:8888".
 */
export function contentPolicy(media?: string): string {
  const also = media ? ` ${media}` : "";
  return [
    "default-src 'self'",
    `script-src 'self' ${scriptHash(FIRST_PAINT_SCRIPT)}`,
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

/** A page's own content policy and frame rule stand. */
export function withSecurityHeaders(response: Response): Response {
  if (response.status === 101) return response;
  try {
    secure(response.headers);
    return response;
  } catch {
    // the headers of a redirect, and of what fetch gave, cannot be set; only these are copied, since a copy's body is
    // always a stream, for which Deno takes longer
    const copy = new Response(response.body, response);
    secure(copy.headers);
    return copy;
  }
}

function secure(headers: Headers): void {
  headers.set("x-content-type-options", "nosniff");
  headers.set("referrer-policy", "same-origin");
  if (!headers.has("content-security-policy")) headers.set("content-security-policy", CONTENT_POLICY);
  if (!headers.has("x-frame-options")) headers.set("x-frame-options", "SAMEORIGIN");
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
