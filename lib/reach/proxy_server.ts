/** The address of a proxy, as people type it. Pure, and light enough for the form. */

export interface ProxyServer {
  kind: "http" | "https" | "socks5";
  /** The host as URL.hostname has it. */
  host: string;
  port: number;
  /** User and password; both are empty for a proxy without a login. */
  user: string;
  pass: string;
}

/** The value of a stream's field `proxy` for no proxy at all. */
export const DIRECT = "direct";

const KINDS: Readonly<Record<string, { kind: ProxyServer["kind"]; port: number }>> = {
  "http:": { kind: "http", port: 80 },
  "https:": { kind: "https", port: 443 },
  "socks5:": { kind: "socks5", port: 1080 },
  "socks5h:": { kind: "socks5", port: 1080 },
};

/**
 * The proxy of "http://user:password@proxy:3128", without a scheme also http; null for any other text. SOCKS proxies
 * have no login: Chromium supports none.
 */
export function parseProxy(text: string): ProxyServer | null {
  const whole = /^[a-z0-9+.-]+:\/\//i.test(text) ? text : `http://${text}`;
  if (!/^[^\s\\?#]+$/.test(whole) || !URL.canParse(whole)) return null;
  const url = new URL(whole);
  const known = KINDS[url.protocol];
  const host = url.hostname.toLowerCase();
  if (!known || !/^([a-z0-9_-]+(\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/.test(host)) return null;
  if (url.pathname !== "" && url.pathname !== "/") return null;
  const user = decoded(url.username);
  const pass = decoded(url.password);
  if (user === null || pass === null || (known.kind === "socks5" && user + pass !== "")) return null;
  return { kind: known.kind, host, port: Number(url.port) || known.port, user, pass };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Host and port of a proxy, or of a proxy's origin. */
export function proxyPlace(proxy: Pick<ProxyServer, "host" | "port"> | URL): string {
  return proxy instanceof URL
    ? `${proxy.hostname}:${Number(proxy.port) || KINDS[proxy.protocol]?.port}`
    : `${proxy.host}:${proxy.port}`;
}

/** The proxy's address without the login. */
export function proxyText(proxy: ProxyServer): string {
  return `${proxy.kind}://${proxyPlace(proxy)}`;
}

/** The problem of a stream's field `proxy`; null: it is valid. */
export function proxyProblem(text: string): string | null {
  if (text === "" || text === DIRECT) return null;
  const proxy = parseProxy(text);
  if (!proxy) {
    return 'It must be an address such as http://proxy.example.org:3128, "direct" for none, or empty for the service\'s.';
  }
  return proxy.user + proxy.pass === ""
    ? null
    : "It must be without a login, which is the service's: PROXY_LOGIN_FILE. Example: http://proxy.example.org:3128";
}
