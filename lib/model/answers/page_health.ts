/**
 * The problems of a stream's picture, in words for people: one table, from which the states of the API, the
 * cards, the events and the documentation come. Pure, and light enough for browsers.
 */

/** A remedy that a person has on the card. */
export type Remedy =
  | "address"
  | "proxy"
  | "status"
  | "site"
  | "login"
  | "memory"
  | "quality"
  | "certificate"
  | "vnc"
  | "log"
  | "restart";

interface TroubleRow {
  /** One sentence. `{status}` and `{seen}` stand for the status and the error. */
  says: string;
  /** The advice for a person. */
  advice: string;
  /** The remedies, the best first. */
  remedies: readonly Remedy[];
  /** The time until the page is opened again: 5 s to 1 min, or 1 to 10 min. Absent: nothing is to be opened. */
  retry?: "soon" | "slowly";
  /** The problem is not the page's: it is the machine's, or a program's around the page. */
  isAround?: true;
}

const TABLE = {
  "dns": {
    says: "The page's host name is not found.",
    advice: "Check the address, and the name server that this machine asks. " +
      "If a proxy is the only way out, name it in HTTPS_PROXY or in this stream's settings.",
    remedies: ["address"],
    retry: "soon",
  },
  "refused": {
    says: "The page's server refuses the connection.",
    advice: "Check that the server runs, and the port in the address.",
    remedies: ["address"],
    retry: "soon",
  },
  "unreachable": {
    says: "The page's server cannot be reached.",
    advice: "Check the network between this machine and the server, and the address.",
    remedies: ["address"],
    retry: "soon",
  },
  "proxy": {
    says: "The proxy does not lead to the page ({seen}).",
    advice: "Check HTTP_PROXY, HTTPS_PROXY or this stream's proxy, and whether the proxy may go there.",
    remedies: ["proxy"],
    retry: "soon",
  },
  "proxy-login": {
    says: "The proxy wants a user name and a password ({seen}).",
    advice: "Set them in PROXY_LOGIN_FILE, or correct them there.",
    remedies: ["proxy"],
    retry: "slowly",
  },
  "timeout": {
    says: "The page's server does not answer.",
    advice: "Check that the server is well. The service tries again.",
    remedies: ["address"],
    retry: "soon",
  },
  "slow": {
    says: "The page has not come yet: the service waits for its server.",
    advice: "Check that the server is well. A page may take 5 minutes, as in a desktop browser.",
    remedies: ["address"],
  },
  "cut-off": {
    says: "The page's server closed the connection without an answer.",
    advice: "Check that the server is well, and whether the address should begin with https or http.",
    remedies: ["address"],
    retry: "soon",
  },
  "bad-answer": {
    says: "The page's server sends an answer that no browser understands ({seen}).",
    advice: "Check that server, its proxies, and whether the address should begin with https or http.",
    remedies: ["address"],
    retry: "soon",
  },
  "certificate-expired": {
    says: "The page's certificate has expired, or is not valid yet.",
    advice: "Renew it, check this machine's clock, or accept this certificate for this stream.",
    remedies: ["certificate"],
    retry: "slowly",
  },
  "certificate-name": {
    says: "The page's certificate is for another name.",
    advice: "Use the name it is for in the address, or accept this certificate for this stream.",
    remedies: ["certificate", "address"],
    retry: "slowly",
  },
  "certificate-issuer": {
    says: "The page's certificate comes from an issuer that is not trusted.",
    advice: "Put the issuer's certificate into CA_DIR, or accept this certificate for this stream.",
    remedies: ["certificate"],
    retry: "slowly",
  },
  "certificate-changed": {
    says: "The page's certificate has changed: it is not the one that was accepted.",
    advice: "Find out why before you accept the new one. Someone may intercept the connection.",
    remedies: ["certificate"],
    retry: "slowly",
  },
  "certificate-bad": {
    says: "The page's certificate cannot be trusted ({seen}).",
    advice: "Replace it on the server.",
    remedies: ["certificate", "address"],
    retry: "slowly",
  },
  "client-certificate": {
    says: "The page's server wants a certificate of its visitors ({seen}).",
    advice: "The service has none to show. Use an address, or a port, of that server that asks for none.",
    remedies: ["address"],
    retry: "slowly",
  },
  "tls": {
    says: "There is no secure connection to the page's server ({seen}).",
    advice: "Check whether the server speaks https at this port, by a current version of TLS.",
    remedies: ["address"],
    retry: "slowly",
  },
  "blocked": {
    says: "Pages must not open this address ({seen}).",
    advice: "ALLOW_LOCAL_STREAMS allows pages of this machine.",
    remedies: ["address"],
    retry: "slowly",
  },
  "other-program": {
    says: "The address opens another program, not a page ({seen}).",
    advice: "Use the address of a page. The service opens no other programs.",
    remedies: ["address"],
    retry: "slowly",
  },
  "redirects": {
    says: "The page's server redirects in a circle.",
    advice: "Check the address. A lost login does this too: sign in by VNC.",
    remedies: ["address", "vnc"],
    retry: "slowly",
  },
  "not-loaded": {
    says: "The page could not be loaded ({seen}).",
    advice: "Look at it by VNC.",
    remedies: ["address", "vnc"],
    retry: "soon",
  },
  "needs-login": {
    says: "The page wants a user name and a password (401).",
    advice: "Set the login of this stream. If this page is fine, choose “Show it anyway”.",
    remedies: ["login", "status"],
    retry: "slowly",
  },
  "forbidden": {
    says: "The page's server denies access (403).",
    advice: "Set a login that may see the page, or sign in by VNC.",
    remedies: ["login", "status", "vnc"],
    retry: "slowly",
  },
  "not-found": {
    says: "There is no page at this address ({status}).",
    advice: "Correct the address. If this page is fine, choose “Show it anyway”.",
    remedies: ["address", "status"],
    retry: "slowly",
  },
  "request-refused": {
    says: "The page's server refuses the request ({status}).",
    advice: "Check the address. If this page is fine, choose “Show it anyway”.",
    remedies: ["address", "status", "vnc"],
    retry: "slowly",
  },
  "server-error": {
    says: "The page's server has a problem ({status}).",
    advice: "Check that server. The service tries again. If this page is fine, choose “Show it anyway”.",
    remedies: ["status", "log"],
    retry: "soon",
  },
  "blank": {
    says: "The page is blank.",
    advice: "Look at it by VNC, and at its console errors among the events.",
    remedies: ["vnc", "address"],
    retry: "slowly",
  },
  "download": {
    says: "The address leads to a download or to nothing, not to a page.",
    advice: "Use the address of a page.",
    remedies: ["address"],
    retry: "slowly",
  },
  "signed-out": {
    says: "Signed out: the page shows its login.",
    advice: "Sign in by VNC, or set the login of this stream.",
    remedies: ["vnc", "login"],
    retry: "slowly",
  },
  "login-expired": {
    says: "The login on the page has ended.",
    advice: "The service signs in again if a login is set. If none is set, sign in by VNC.",
    remedies: ["login", "vnc"],
  },
  "login-failed": {
    says: "The login on the page failed: {seen}",
    advice: "Correct the login of this stream, or sign in by VNC.",
    remedies: ["login", "vnc"],
  },
  "crashed": {
    says: "The page crashed.",
    advice: "The service opens it again. If it crashes again, look at the browser's log.",
    remedies: ["log"],
    retry: "soon",
  },
  "out-of-memory": {
    says: "The page ran out of memory.",
    advice: "Raise the stream's memory limit, or show less on the page.",
    remedies: ["memory", "log"],
    retry: "soon",
  },
  "hung": {
    says: "The page hangs: it does not answer.",
    advice: "The service opens it in a new tab. If it hangs again, repair the page.",
    remedies: ["vnc", "log"],
  },
  "dialog": {
    says: "The page shows a dialog: {seen}",
    advice: "Answer it by VNC. The service cancels it if nobody uses VNC.",
    remedies: ["vnc"],
  },
  "elsewhere": {
    says: "The browser is on another site: {seen}",
    advice:
      "The service goes back to the page unless somebody uses VNC. If the site belongs to the page, add it under “Other sites of the page”.",
    remedies: ["vnc", "site"],
  },
  "other-site": {
    says: "The page leads to another site, which cannot be opened: {seen}",
    advice:
      "If that site belongs to the page, add it under “Other sites of the page”: the service opens a site " +
      "of a local network only for pages that name it. Else check that site, and the page that leads there.",
    remedies: ["site", "vnc"],
    retry: "soon",
  },
  "encoder-slow": {
    says: "The encoder is too slow: pictures are left out.",
    advice: "Choose a smaller picture, fewer frames per second or a faster encoder preset.",
    remedies: ["quality", "log"],
    isAround: true,
  },
  "no-sound": {
    says: "The stream is silent: its sound device was not there.",
    advice: "Restart the stream.",
    remedies: ["restart", "log"],
    isAround: true,
  },
  "disk-full": {
    says: "The disk that the channels are on is nearly full.",
    advice: "Make room there (RUN_DIR).",
    remedies: ["log"],
    isAround: true,
  },
} as const satisfies Record<string, TroubleRow>;

export type Trouble = keyof typeof TABLE;

/** The problems, the worst first: of several, the first decides. */
export const TROUBLES: Readonly<Record<Trouble, TroubleRow>> = TABLE;

/** "opening": the page loads for the first time, and nothing is known. */
export type PageState = "ok" | "opening" | Trouble;

/** Whether a state is a problem. */
export function isTrouble(state: string): state is Trouble {
  return Object.hasOwn(TABLE, state);
}

/** The problem's sentence for people. */
export function troubleText(
  trouble: Trouble,
  { status, error }: { status: number | null; error: string | null },
): string {
  // a function, since "$" in the error would be a pattern
  return TROUBLES[trouble].says.replace("{status}", String(status ?? "no status"))
    .replace("{seen}", () => error ?? "unknown");
}

/**
 * The problem of a page with this status and error, in words; null: none.
 * @param seen status 0 or error "": none; `failedAt`: the origin of what could not be opened, as `PageLook`.
 * @param sites the origins that are the page's.
 */
export function problemOfSeen(
  seen: { status: number; error: string; failedAt: string },
  sites: readonly string[],
): string | null {
  const { error, failedAt } = seen;
  const status = seen.status || null;
  if (error !== "" && isOtherSite(failedAt, sites)) {
    return troubleText("other-site", { status, error: `${failedAt} (${error})` });
  }
  const trouble = error !== "" ? troubleOfError(error) : status === null ? null : troubleOfStatus(status);
  return trouble === null ? null : troubleText(trouble, { status, error });
}

/** Whether an origin is none of these sites; https of the host of an http site is that site. @param origin "": none. */
export function isOtherSite(origin: string, sites: readonly string[]): boolean {
  const isOf = (site: string) => origin === site || origin === site.replace(/^http:(?=\/\/[^:]+$)/, "https:");
  return /^https?:/.test(origin) && !sites.some(isOf);
}

/** A page's text, short and of one line, since a page may send any text. */
export function shortSeen(text: string): string {
  const line = text.slice(0, 1000).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
  return line.length > 160 ? `${line.slice(0, 159).trimEnd()}…` : line;
}

/** The first that fits decides. */
const BY_ERROR: [RegExp, Trouble][] = [
  [/^[a-z][a-z0-9+.-]*:$|^ERR_UNKNOWN_URL_SCHEME/, "other-program"],
  [/^ERR_(PROXY_AUTH|UNEXPECTED_PROXY_AUTH)|PROXY_AUTH$/, "proxy-login"],
  [/^ERR_(PROXY|MANDATORY_PROXY|TUNNEL|SOCKS|NO_SUPPORTED_PROXIES|PAC_)/, "proxy"],
  // before the rows for names and certificates, which these errors are not about
  [/^ERR_(DNS_N(AME_HTTPS|O_MATCHING)|CERT_(DATABASE|VERIFIER)_CHANGED|ADDRESS_IN_USE)/, "not-loaded"],
  [/^ERR_(BLOCKED_BY_RESPONSE|NETWORK_ACCESS_REVOKED)/, "not-loaded"],
  [/^ERR_NAME_|^DNS_|^ERR_DNS_|^ERR_ICANN_NAME/, "dns"],
  [/^ERR_CONNECTION_REFUSED/, "refused"],
  [/TIMED_OUT/, "timeout"],
  [/CLIENT_AUTH|^ERR_NO_PRIVATE_KEY_FOR_CERT/, "client-certificate"],
  [/^ERR_CERT_DATE_INVALID/, "certificate-expired"],
  [/^ERR_CERT_COMMON_NAME_INVALID/, "certificate-name"],
  [/^ERR_CERT_(AUTHORITY_INVALID|SELF_SIGNED)/, "certificate-issuer"],
  [/^ERR_(CERT|QUIC_CERT|SSL_(PINNED|SERVER_CERT_BAD|KEY_USAGE))/, "certificate-bad"],
  [/^ERR_(SSL|ALPN|TLS|QUIC_HANDSHAKE|HTTP2_INADEQUATE)|_ECH_|^ERR_ECH|EARLY_DATA/, "tls"],
  [/^ERR_(CONNECTION_(RESET|CLOSED|ABORTED)|EMPTY_RESPONSE|HTTP2_(PING|SERVER_REFUSED))/, "cut-off"],
  [/^ERR_(INCOMPLETE_|CONTENT_LENGTH|RESPONSE_HEADERS_TRUNCATED)/, "cut-off"],
  [/^ERR_(HTTP2|HTTP_1_1|QUIC_PROTOCOL|RESPONSE_|CONTENT_|ENCODING_|ZSTD|UNEXPECTED_CONTENT)/, "bad-answer"],
  [/^ERR_INVALID_(HTTP|RESPONSE|REDIRECT|CHUNKED|SIGNED|WEB_BUNDLE)/, "bad-answer"],
  [/^ERR_(BLOCKED|UNSAFE|DISALLOWED|CLEARTEXT)|LOCAL_NETWORK|PRIVATE_NETWORK|IP_ADDRESS_SPACE/, "blocked"],
  [/^ERR_(INVALID|MISSING)_AUTH_CREDENTIALS|^ERR_UNSUPPORTED_AUTH/, "needs-login"],
  [/^ERR_TOO_MANY_REDIRECTS/, "redirects"],
  [/^ERR_OUT_OF_MEMORY/, "out-of-memory"],
  [/^ERR_(ADDRESS|INTERNET|NETWORK|CONNECTION)/, "unreachable"],
];

/** The problem that an error of the browser's network means. Source: net/base/net_error_list.h of Chromium. */
export function troubleOfError(error: string): Trouble {
  return BY_ERROR.find(([pattern]) => pattern.test(error))?.[1] ?? "not-loaded";
}

/** The problem that the page's own status means; null: it is a page. */
export function troubleOfStatus(status: number): Trouble | null {
  if (status === 204 || status === 205) return "download";
  if (status < 400) return null;
  if (status >= 500) return "server-error";
  if (status === 407) return "proxy-login";
  if (status === 401) return "needs-login";
  if (status === 403) return "forbidden";
  return status === 404 || status === 410 ? "not-found" : "request-refused";
}
