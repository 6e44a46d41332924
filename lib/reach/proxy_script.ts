/**
 * Chromium's choice among a proxy and the direct way, as a "proxy auto-config" script. Forbidden addresses go the
 * direct way, where the rules of browser_flags.ts and of the kernel stop the page: a proxy would fetch them for it.
 */
import { METADATA_NAMES, METADATA_NETWORKS } from "./metadata.ts";
import { networkOf } from "../machine/net/networks.ts";
import { LAN, LOOPBACK } from "./reach.ts";
import { proxyPlace, type ProxyServer } from "./proxy_server.ts";
import { type DirectPlace, parseDirectPlace, type WayOut } from "./way_out.ts";

/** IPv6 addresses that contain an IPv4 address, which no list would find: RFC 4291, RFC 6052, RFC 3056. */
const WITH_IPV4 = ["::/96", "::ffff:0:0/96", "64:ff9b::/96", "2002::/16"];

const WORDS = { http: "PROXY", https: "HTTPS", socks5: "SOCKS5" } as const;

/** What decides which places go the direct way (Reach in browser_flags.ts). */
interface Kept {
  ownNames: string[];
  ownAddresses: string[];
  neighbours: string[];
  isLan: boolean;
}

/** The data of the script. */
interface Known {
  http: string;
  https: string;
  direct: DirectPlace[];
  /** Names that always go the direct way, each with its subdomains. */
  names: string[];
  /** Networks whose names, as this machine resolves them, go the direct way, too. */
  networks: string[];
}

// its functions are Chromium's: https://developer.mozilla.org/docs/Web/HTTP/Guides/Proxy_servers_and_tunneling/Proxy_Auto-Configuration_PAC_file
const SCRIPT = String.raw`
function FindProxyForURL(url, host) {
  var parts = /^(\w+):\/\/(?:\[[^\]]*\]|[^\/:?#]*)(?::(\d+))?/.exec(url);
  var isPlain = parts[1] === "http" || parts[1] === "ws";
  var way = isPlain ? KNOWN.http : KNOWN.https;
  var port = Number(parts[2] || (isPlain ? 80 : 443));
  host = host.toLowerCase().replace(/^\[|\]$/g, "").replace(/\.+$/, "");
  if (way === "DIRECT") return way;
  var isBelow = function (name) { return host === name || host.slice(-name.length - 1) === "." + name; };
  var isAddress = host.indexOf(":") >= 0 || /^\d+\.\d+\.\d+\.\d+$/.test(host);
  var isDirect = function (place) {
    if (place.port !== null && place.port !== port) return false;
    if (place.network !== null) return isAddress && isInNetEx(host, place.network);
    return new RegExp(place.pattern).test(host);
  };
  if (KNOWN.direct.some(isDirect) || KNOWN.names.some(isBelow)) return "DIRECT";
  var addresses = isAddress ? host : dnsResolveEx(host);
  var isKept = String(addresses || "").split(";").some(function (address) {
    // of the two families, since each is compared with the other as well
    var isSix = address.indexOf(":") >= 0;
    return KNOWN.networks.some(function (network) {
      return address !== "" && isSix === network.indexOf(":") >= 0 && isInNetEx(address, network);
    });
  });
  return isKept ? "DIRECT" : way;
}`;

function wordOf(proxy: ProxyServer | null): string {
  return proxy ? `${WORDS[proxy.kind]} ${proxyPlace(proxy)}` : "DIRECT";
}

/** The script. @param isLan whether the stream's pages may be on the local network. */
export function proxyScript(
  way: WayOut,
  { ownNames, ownAddresses, neighbours, isLan }: Kept,
): string {
  const known: Known = {
    http: wordOf(way.http),
    https: wordOf(way.https),
    direct: way.direct.flatMap((text) => parseDirectPlace(text) ?? []).map((place) => ({
      ...place,
      network: place.network && (place.network.includes("/") ? place.network : networkOf(place.network)),
    })),
    names: ["localhost", ...ownNames, ...METADATA_NAMES],
    networks: [
      ...LOOPBACK,
      ...ownAddresses.map(networkOf),
      ...METADATA_NETWORKS,
      ...(isLan ? [] : [...LAN, ...neighbours]),
      ...WITH_IPV4,
    ],
  };
  return `var KNOWN = ${JSON.stringify(known)};${SCRIPT}`;
}
