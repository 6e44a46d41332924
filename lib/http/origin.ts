/**
 * Which requests may change something. The pages that are streamed are untrusted and run on this very machine, so
 * coming from loopback proves nothing (docs/security.md).
 */
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/** Host and port under which viewers reach us, where a proxy sends another Host. */
type PublicHost = () => string;

/** Whether an Origin header names the host that was asked. "null" is a sandboxed frame or a local file. */
function isSameHost(origin: string, request: Request, publicHost?: PublicHost): boolean {
  const host = request.headers.get("host") ?? new URL(request.url).host;
  try {
    const from = new URL(origin).host;
    return from === host || (publicHost !== undefined && from === publicHost());
  } catch {
    return false;
  }
}

/** Whether a page of ours sent the request; unlike below, no Origin is not good enough. */
export function isOwnOrigin(request: Request, publicHost?: PublicHost): boolean {
  const origin = request.headers.get("origin");
  return origin !== null && isSameHost(origin, request, publicHost);
}

/**
 * Whether an answer may hold a secret: no other site's page asks, and nobody typed the address into a browser whose
 * picture goes out. Browsers send Sec-Fetch-Site to https and to loopback only, so its absence says nothing.
 */
export function mayReadSecrets(request: Request, publicHost?: PublicHost): boolean {
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  return (site === null || site === "same-origin") &&
    (origin === null || isSameHost(origin, request, publicHost));
}

/**
 * Whether a request comes from our own pages or from no browser page at all (curl, scripts send neither header).
 * Source: https://web.dev/articles/fetch-metadata and RFC 6454.
 */
export function isOriginAllowed(request: Request, publicHost?: PublicHost): boolean {
  if (SAFE.has(request.method)) return true;
  const site = request.headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none") return false;
  const origin = request.headers.get("origin");
  return origin === null || isSameHost(origin, request, publicHost);
}
