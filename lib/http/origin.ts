/**
 * Which requests may change something. The pages that are streamed are untrusted and run on this very machine, so
 * coming from loopback proves nothing (design/security.md A1).
 */
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Whether a request comes from our own pages or from no browser page at all (curl, scripts send neither header).
 * Source: https://web.dev/articles/fetch-metadata and RFC 6454.
 * @param publicHost host and port under which viewers reach us, where a proxy sends another Host.
 */
export function isOriginAllowed(request: Request, publicHost?: () => string): boolean {
  if (SAFE.has(request.method)) return true;
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return false;
  const origin = request.headers.get("origin");
  if (origin === null) return true;
  const host = request.headers.get("host") ?? new URL(request.url).host;
  try {
    const from = new URL(origin).host;
    return from === host || (publicHost !== undefined && from === publicHost());
  } catch {
    return false; // "null": a sandboxed frame or a local file
  }
}
