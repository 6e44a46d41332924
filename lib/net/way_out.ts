/**
 * How pages and messages leave the network: directly, or by a company's proxy, as HTTP_PROXY, HTTPS_PROXY, NO_PROXY and a
 * stream's field say. Pure.
 */
import { plainHost, portOf } from "./reach.ts";
import { isInNetworks, parseNetwork } from "./networks.ts";
import { DIRECT, parseProxy, type ProxyServer } from "./proxy_server.ts";

/** A way out by proxies. */
export interface WayOut {
  /** The proxy for http: and ws: addresses; null: directly. */
  http: ProxyServer | null;
  /** The proxy for https: and wss: addresses; null: directly. */
  https: ProxyServer | null;
  /** The entries of NO_PROXY: places that are reached directly all the same. */
  direct: readonly string[];
  /** Whether the stream names the proxy itself. */
  isOfStream: boolean;
}

export interface WayOutConfig {
  HTTP_PROXY: string;
  HTTPS_PROXY: string;
  NO_PROXY: readonly string[];
}

/** The way out; null: directly to all addresses. @param field a stream's field `proxy`; "": the service's proxies. */
export function wayOutOf(config: WayOutConfig, field = ""): WayOut | null {
  if (field === DIRECT) return null;
  const own = field === "" ? null : parseProxy(field);
  const [http, https] = own
    ? [own, own]
    : [config.HTTP_PROXY, config.HTTPS_PROXY].map((text) => text === "" ? null : parseProxy(text));
  return http || https ? { http, https, direct: config.NO_PROXY, isOfStream: own !== null } : null;
}

/** The address of a stream's own proxy, whose place is checked like a page's; null without one. */
export function ownProxyAddress(field: string): string | null {
  const proxy = field.trim() === DIRECT ? null : parseProxy(field.trim());
  return proxy && `http://${proxy.host}:${proxy.port}`;
}

/** The proxies of a way, each once. */
export function proxiesOf(way: WayOut | null): ProxyServer[] {
  const all = [way?.http, way?.https].filter((one) => one != null);
  return all.filter(({ host, port }, at) =>
    all.findIndex((other) => other.host === host && other.port === port) === at
  );
}

/** An entry of NO_PROXY, as curl and most programs read it. */
export interface DirectPlace {
  /** "*" for all names; a name, also for its subdomains; or null. */
  name: string | null;
  /** An address or a network, in CIDR notation; or null. */
  network: string | null;
  /** null: any port. */
  port: number | null;
}

/** An entry of NO_PROXY: "*", a name, ".name", "*.name", address or network, with or without a port; else null. */
export function parseDirectPlace(text: string): DirectPlace | null {
  if (text === "*") return { name: "*", network: null, port: null };
  if (parseNetwork(text)) return { name: null, network: text, port: null };
  const [, host, digits] = /^(.+?)(?::(\d{1,5}))?$/.exec(text.toLowerCase()) ?? [];
  if (host === undefined) return null;
  const port = digits === undefined ? null : Number(digits);
  const address = plainHost(host);
  if (parseNetwork(address)) return { name: null, network: address, port };
  const name = host.replace(/^\*?\./, "").replace(/\.$/, "");
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name) ? { name, network: null, port } : null;
}

/** The proxy for an address; null: directly. */
export function proxyFor(url: URL, way: WayOut | null): ProxyServer | null {
  const { protocol, hostname } = url;
  const proxy = way && (/^(http|ws):$/.test(protocol) ? way.http : way.https);
  if (!proxy) return null;
  const host = plainHost(hostname);
  const own = portOf(url);
  const isDirect = way.direct.map(parseDirectPlace).some((place) =>
    place !== null && (place.port === null || place.port === own) &&
    (place.network !== null
      ? isInNetworks(host, [place.network])
      : place.name === "*" || host === place.name || host.endsWith(`.${place.name}`))
  );
  return isDirect ? null : proxy;
}
