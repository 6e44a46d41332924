/**
 * How pages and messages leave the network: directly, or by a company's proxy, as HTTP_PROXY, HTTPS_PROXY, NO_PROXY and a
 * stream's field say. Pure.
 */
import { plainHost, portOf } from "./reach.ts";
import { isInNetworks, parseNetwork } from "../machine/net/networks.ts";
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

/** An entry of NO_PROXY. */
export interface DirectPlace {
  /** A regular expression for the names; null: a network. */
  pattern: string | null;
  /** An address or a network, in CIDR notation; or null. */
  network: string | null;
  /** null: any port. */
  port: number | null;
}

/**
 * An entry of NO_PROXY as curl and other programs write it: "*", a name for its subdomains too, an address or network,
 * with or without a port; wildcards, netmasks and addresses of pages; "<local>" for names without a dot. Else null.
 */
export function parseDirectPlace(text: string): DirectPlace | null {
  const entry = text.toLowerCase().replace(/^["']+|["']+$/g, "");
  if (entry === "<local>") return { pattern: "^[^.:]+$", network: null, port: null };
  const place = entry.replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\//, "");
  const bare = place.replace(place === entry ? /\/$/ : /\/(?!\d).*$/, "");
  const whole = networkIn(bare); // first, since the colons of IPv6 are no port's
  if (whole !== null) return { pattern: null, network: whole, port: null };
  const [, host = "", digits] = /^(.+?)(?::(\d{1,5}|\*))?$/.exec(bare) ?? [];
  const port = digits === undefined || digits === "*" ? null : Number(digits);
  const network = networkIn(host);
  const pattern = network === null ? patternOf(host) : null;
  return network ?? pattern ? { pattern, network, port } : null;
}

/** The network of "10.0.0.0/8", "[fd00::1]", "192.168.*", "10.0.0.0/255.0.0.0" or "169.254/16"; else null. */
function networkIn(text: string): string | null {
  const plain = text.replace(/^\[([^\]]*)\](?=$|\/)/, "$1");
  const [, start] = /^(\d+(?:\.\d+){0,2})\.(?:\*(?:\.\*)*)?$/.exec(plain) ?? [];
  const [, address, mask] = /^([^/]*)\/(.+)$/.exec(plain) ?? [];
  let network = plainHost(plain);
  if (start !== undefined) network = `${wholeAddress(start)}/${8 * start.split(".").length}`;
  else if (mask !== undefined) network = `${wholeAddress(address)}/${bitsOf(mask)}`;
  return parseNetwork(network) ? network : null;
}

/** "169.254.0.0" for "169.254"; any other text stays as it is. */
function wholeAddress(text: string): string {
  return /^\d+(\.\d+){0,2}$/.test(text) ? [...text.split("."), 0, 0, 0].slice(0, 4).join(".") : text;
}

/** The leading bits of a netmask, such as 8 of "255.0.0.0"; any other text stays as it is. */
function bitsOf(mask: string): string {
  const parts = mask.split(".").map(Number);
  if (parts.length !== 4 || !parts.every((part) => part >= 0 && part <= 255)) return mask;
  const [, ones] = /^(1*)0*$/.exec(parts.map((part) => part.toString(2).padStart(8, "0")).join("")) ?? [];
  return ones === undefined ? mask : String(ones.length);
}

/** The regular expression of a name and its subdomains, or of a name with wildcards; null: it is no name. */
function patternOf(host: string): string | null {
  if (host === "*") return "^";
  const rest = host.replace(/^\*?\./, "");
  const isWild = rest.includes("*");
  const name = (isWild ? host.replace(/^\./, "*.") : rest).replace(/\.$/, "").split(".").map(asciiLabel).join(
    ".",
  );
  const isName = /^[a-z0-9_*-]+(\.[a-z0-9_*-]+)*$/.test(name) && !/^[\d.-]+$/.test(name);
  if (!isName) return null;
  const source = name.replaceAll(".", "\\.").replaceAll("*", ".*");
  return `${isWild ? "^" : "(^|\\.)"}${source}$`;
}

/** Part of a name as pages' addresses have it: "xn--bcher-kva" for "bücher". */
function asciiLabel(label: string): string {
  const url = `http://${label}/`;
  return /[^!-~]/.test(label) && !label.includes("*") && URL.canParse(url) ? new URL(url).hostname : label;
}

/** The entries of NO_PROXY that mean nothing here. */
export function unknownPlaces({ NO_PROXY }: Pick<WayOutConfig, "NO_PROXY">): string[] {
  return NO_PROXY.filter((text) => parseDirectPlace(text) === null);
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
    (place.pattern === null ? isInNetworks(host, [place.network!]) : new RegExp(place.pattern).test(host))
  );
  return isDirect ? null : proxy;
}
