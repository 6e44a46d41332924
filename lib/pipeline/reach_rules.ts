/**
 * The kernel's rules for what a stream's user reaches: what Chromium's flags (reach_flags.ts) say for its requests holds for
 * all that the user sends, such as a page's questions to STUN and TURN servers, and for code that broke out.
 */
import { isIPv4, isIPv6 } from "node:net";
import { METADATA_ADDRESSES } from "../net/metadata.ts";
import { LAN } from "../net/reach.ts";
import type { Reach } from "./reach_flags.ts";

/** Of addresses or networks, of which nft wants each family by itself. */
function daddr(places: readonly string[]): string[] {
  const v4 = places.filter((place) => isIPv4(place.split("/")[0]));
  const v6 = places.filter((place) => isIPv6(place.split("/")[0]));
  return [
    ...(v4.length > 0 ? [`ip daddr { ${v4.join(", ")} }`] : []),
    ...(v6.length > 0 ? [`ip6 daddr { ${v6.join(", ")} }`] : []),
  ];
}

/** What a stream reaches whose browser has not begun. */
export const NOWHERE: Reach = {
  ...{ walls: null, local: [], ownNames: [], ownAddresses: [], isLan: false },
  ...{ way: null, proxies: [] },
};

/**
 * Statements of nft, of which the first that fits counts. Pure.
 * @param publishPort the encoder's, on 127.0.0.1. @param networks of the local network that all pages may reach.
 */
export function reachRules(
  { walls, local, isLan, proxies }: Reach,
  publishPort: number,
  networks: readonly string[] = [],
): string[] {
  const open = [
    ...(walls ? [{ addresses: [walls.name], port: walls.port }] : []),
    ...local,
    ...proxies,
  ].flatMap(({ addresses, port }) => daddr(addresses).map((place) => `${place} tcp dport ${port} accept`));
  return [
    `ip daddr 127.0.0.1 tcp dport ${publishPort} accept`,
    ...open,
    ...(walls ? ["reject"] : []),
    // resolvers are on this machine or in its network, and tomorrow's may be another one than today's
    "meta l4proto { tcp, udp } th dport 53 accept",
    // whatever address of this machine's it is
    'oifname "lo" reject',
    ...daddr(METADATA_ADDRESSES).map((place) => `${place} reject`),
    ...daddr(networks).map((place) => `${place} accept`),
    ...(isLan ? [] : daddr(LAN).map((place) => `${place} reject`)),
  ];
}
