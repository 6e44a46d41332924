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
    (isAt(origin, headers.get("host") ?? new URL(url).host) || isAt(origin, publicHost()));
  const site = headers.get("sec-fetch-site");
  const isForeignSite = site !== null && site !== "same-origin" && site !== "none";
  return { isOwn, isForeign: isForeignSite || (origin !== null && !isOwn) };
}

/**
 * Whether an origin's page is at a host. A proxy may name a default port where browsers name none: https's for http as
 * well, since TLS ends before us. "null", which a sandboxed frame or a local file sends, is nowhere.
 */
function isAt(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  host = host.toLowerCase();
  return page.host === host ||
    (page.port === "" && /:(80|443)$/.test(host) && page.host === withoutPort(host));
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, "");
}

/** Why what a page sent is refused, and what to do where it is a page of ours behind a proxy. */
export function foreignPageText({ headers, url }: Request): string {
  const origin = headers.get("origin");
  if (origin === null || !URL.canParse(origin) || !/^https?:/.test(origin)) {
    return "This request came from another site's page and was refused.";
  }
  const page = new URL(origin).origin;
  return `This request came from a page at ${page}, and asked for ${
    headers.get("host") ?? new URL(url).host
  }. ` +
    `It was refused, as from another site's page. If this is the service's own address, start it with PUBLIC_URL=${page}`;
}
