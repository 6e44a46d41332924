/** The client's address, by which limits per client count. */
import { isIP, isIPv6 } from "node:net";
import { ipv6Groups, isInNetworks } from "./networks.ts";

type Info = Pick<Deno.ServeHandlerInfo, "remoteAddr">;

/** The most entries of X-Forwarded-For that are read: no network has more proxies in a row. */
const MAX_HOPS = 20;

/**
 * The client's IP address: the connection's, or the address that trusted proxies report. The header is read from its
 * end, where the proxy next to us wrote; a client's own entries stand before, and are never reached.
 * A connection without an address (a unix socket) is "local".
 */
export function clientAddress(request: Request, { remoteAddr }: Info, trusted: readonly string[]): string {
  let address = "hostname" in remoteAddr ? plainAddress(remoteAddr.hostname) : null;
  if (address === null) return "local";
  if (trusted.length === 0) return address;
  const hops = request.headers.get("x-forwarded-for")?.split(",").slice(-MAX_HOPS) ?? [];
  while (isInNetworks(address, trusted)) {
    const before = plainAddress(hops.pop() ?? "");
    if (before === null) break;
    address = before;
  }
  return address;
}

/** An address as it stands in the header, perhaps with a port or a zone; null for anything else. */
function plainAddress(text: string): string | null {
  const [, bracketed, ipv4] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+)(?::\d+)?$/.exec(text.trim()) ?? [];
  const address = (bracketed ?? ipv4 ?? text.trim()).replace(/%.*$/, "").toLowerCase();
  return isIP(address) === 0 ? null : address;
}

/** The key of all clients on this machine: each has all of 127.0.0.0/8, and ::1. */
export const LOOPBACK = "loopback";

/**
 * The client's key in a limit: an IPv4 address, or the first 64 bits of an IPv6 address, since a client has all the
 * addresses below them (RFC 4291, section 2.5.4); this machine itself has one key. templates/front.conf counts
 * likewise.
 */
export function clientNetwork(address: string): string {
  if (!isIPv6(address)) return address.startsWith("127.") ? LOOPBACK : address;
  const groups = ipv6Groups(address);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) {
    return clientNetwork([groups[6] >> 8, groups[6] & 255, groups[7] >> 8, groups[7] & 255].join("."));
  }
  if (groups.every((group, at) => group === Number(at === 7))) return LOOPBACK;
  return `${groups.slice(0, 4).map((group) => group.toString(16)).join(":")}::/64`;
}
