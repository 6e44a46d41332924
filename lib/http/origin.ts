/**
 * Where a request comes from. The pages that are streamed are untrusted and run on this very machine, so that coming
 * from loopback proves nothing (docs/security.md).
 */

/** What a request's headers tell of the page that sent it. */
export interface RequestOrigin {
  /** A page of ours sent it: its Origin is the host that was asked, or the public one. */
  isOwn: boolean;
  /** A page of another site sent it. Programs such as curl send neither header, so that they are not foreign. */
  isForeign: boolean;
}

/**
 * Source: https://web.dev/articles/fetch-metadata and RFC 6454.
 * @param publicHost host and port under which viewers reach us, where a proxy sends another Host.
 */
export function requestOrigin({ headers, url }: Request, publicHost: () => string): RequestOrigin {
  const origin = headers.get("origin");
  const isOwn = origin !== null &&
    [headers.get("host") ?? new URL(url).host, publicHost()].includes(hostOf(origin) ?? "");
  const site = headers.get("sec-fetch-site");
  const isForeignSite = site !== null && site !== "same-origin" && site !== "none";
  return { isOwn, isForeign: isForeignSite || (origin !== null && !isOwn) };
}

/** An origin's host and port; null for "null", which a sandboxed frame or a local file sends. */
function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
