/**
 * The kernel's rules for a stream's user: the limits of Chromium's flags (browser_flags.ts) hold for all packets of the
 * user, such as a page's questions to STUN and TURN servers, and for code that broke out.
 */
import { isIPv4, isIPv6 } from "node:net";
import { METADATA_NETWORKS } from "./metadata.ts";
import { LAN } from "./reach.ts";
import { translated } from "./translated.ts";
import type { Reach } from "./browser_flags.ts";

/** Conditions for addresses or networks; nft wants each family by itself. */
function daddr(places: readonly string[]): string[] {
  const v4 = places.filter((place) => isIPv4(place.split("/")[0]));
  const v6 = places.filter((place) => isIPv6(place.split("/")[0]));
  return [
    ...(v4.length > 0 ? [`ip daddr { ${v4.join(", ")} }`] : []),
    ...(v6.length > 0 ? [`ip6 daddr { ${v6.join(", ")} }`] : []),
  ];
}

function rejected(places: readonly string[]): string[] {
  return daddr(places).map((place) => `${place} reject`);
}

/** A server's addresses and port. */
export interface Place {
  addresses: readonly string[];
  port: number;
}

/** The place that a stream's channel is pushed to. */
export interface PushedPlace extends Place {
  /** Whether it is UDP (SRT). */
  isUdp: boolean;
  /** Whether the receiver calls. */
  isListener: boolean;
  /** The port of loopback where ffmpeg waits for what comes at the listener's port. */
  inner: number;
}

/** The answers to whom calls, or packets to the one place. */
function pushRules({ addresses, port, isUdp, isListener, inner }: PushedPlace): string[] {
  const protocol = isUdp ? "udp" : "tcp";
  if (isListener) {
    return [
      ...[[port, inner], [inner, port]].map(([from, to]) =>
        `ip daddr 127.0.0.1 udp sport ${from} udp dport ${to} accept`
      ),
      `ct direction reply udp sport ${port} accept`,
    ];
  }
  return daddr(addresses).map((place) => `${place} ${protocol} dport ${port} accept`);
}

/** The reach of a stream before its browser's start. */
export const NOWHERE: Reach = {
  walls: null,
  local: [],
  ownNames: [],
  ownAddresses: [],
  neighbours: [],
  isLan: false,
  way: null,
  proxies: [],
};

/**
 * Statements of nft; the first fitting statement counts. lib/machine/os/packet_filter.ts makes the sets. Pure.
 * @param publishPort the encoder's, on 127.0.0.1. @param networks of the local network that all pages may reach. @param pushed the target of the channel's push. @param forbidden the cluster's servers, whatever a page may reach.
 */
export function reachRules(
  { walls, local, ownAddresses, neighbours, isLan, proxies }: Reach,
  publishPort: number,
  networks: readonly string[] = [],
  pushed: PushedPlace | null = null,
  forbidden: readonly Place[] = [],
): string[] {
  const open = [
    ...(walls ? [{ addresses: [walls.name], port: walls.port }] : []),
    ...local,
    ...proxies,
  ].flatMap(({ addresses, port }) => daddr(addresses).map((place) => `${place} tcp dport ${port} accept`));
  return [
    `ip daddr 127.0.0.1 tcp dport ${publishPort} accept`,
    ...forbidden.flatMap(({ addresses, port }) =>
      daddr([...addresses, ...translated(addresses)]).map((place) => `${place} tcp dport ${port} reject`)
    ),
    ...(pushed ? pushRules(pushed) : []),
    ...open,
    ...(walls ? ["reject"] : []),
    // the machine's name servers, wherever they are: some clouds have theirs at a metadata service's address
    ...["ip daddr @resolvers4", "ip6 daddr @resolvers6"].map((place) =>
      `${place} meta l4proto { tcp, udp } th dport 53 accept`
    ),
    // for every address of this machine
    'oifname "lo" reject',
    ...[translated(ownAddresses), METADATA_NETWORKS].flatMap(rejected),
    ...daddr(networks).map((place) => `${place} accept`),
    // each neighbourhood by itself, as one may contain another
    ...(isLan ? [] : [LAN, ...neighbours.map((network) => [network])].flatMap(rejected)),
  ];
}
