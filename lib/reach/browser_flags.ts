/**
 * Chromium's flags against requests of a page to this machine and to cloud metadata, whatever name leads there. Tried
 * with Chromium 156 (docs/decisions/browser-pages.md):
 * - Rules of the resolver see a host as it was asked for, for every request: they stop addresses and known names.
 * - Local Network Access sees the address that a name resolved to: it stops a page's requests to a more private place
 *   than its own. Places are public, local and loopback; a flag assigns addresses to places.
 */
import { isIP } from "node:net";
import { hostText } from "../machine/net/host.ts";
import { METADATA_HOSTS, METADATA_NAMES, METADATA_NETWORKS } from "./metadata.ts";
import { isInNetworks, networkOf } from "../machine/net/networks.ts";
import {
  addressesOf,
  isOwnAddress,
  LAN,
  neighbourNetworks,
  type Network,
  plainHost,
  portOf,
} from "./reach.ts";
import { translated } from "./translated.ts";
import { WALL_HOST, wallOfAddress } from "./wall_address.ts";
import { proxiesOf, proxyFor, type WayOut } from "./way_out.ts";
import { proxyScript } from "./proxy_script.ts";

/** An origin of the stream on this machine, which the page may use all the same. */
export interface LocalOrigin {
  /** The host as in URL.hostname. */
  host: string;
  port: number;
  addresses: string[];
}

/** The service's address, as this machine reaches it. */
export interface ServicePlace {
  /** An address. */
  name: string;
  port: number;
}

export interface Reach {
  /** The service, for a stream that shows a wall: its browser reaches nothing else. Null: it shows no wall. */
  walls: ServicePlace | null;
  /** The stream's origins on this machine. */
  local: LocalOrigin[];
  /** The machine's own names and addresses. */
  ownNames: string[];
  ownAddresses: string[];
  /** The networks that the machine is on, beside the networks of every machine (LAN). */
  neighbours: string[];
  /** Whether the stream's page is on the local network, or may be. */
  isLan: boolean;
  /** The proxies of the stream; null: the direct way. */
  way: WayOut | null;
  /** The addresses of the proxies. */
  proxies: LocalOrigin[];
}

/**
 * Finds the places that a stream's page may reach.
 * @param urls the addresses of the stream's pages, and its login origins. @param service the place of its walls.
 * @param way the proxies. A proxy on this machine counts where the operator names it for all, or allows such pages.
 */
export async function findReach(
  urls: string[],
  network: Network,
  isLocalAllowed: boolean,
  service: ServicePlace | null = null,
  way: WayOut | null = null,
): Promise<Reach> {
  const own = {
    ownNames: [network.hostname.toLowerCase()].filter((name) => /^[a-z0-9._-]+$/.test(name)),
    ownAddresses: [...new Set(network.ownAddresses())].filter((one) => isIP(one) !== 0 && !one.includes("%")),
    neighbours: neighbourNetworks(network),
  };
  const lan = [...LAN, ...own.neighbours];
  // without its login origins: no person signs in on a wall
  if (wallOfAddress(urls[0]) !== null) {
    return { ...own, walls: service, local: [], isLan: false, way: null, proxies: [] };
  }
  const proxies: LocalOrigin[] = [];
  for (const { host, port } of proxiesOf(way)) {
    const addresses = await addressesOf(host, network);
    const isOfMachine = addresses.some((one) =>
      isOwnAddress(one, network) || isInNetworks(one, METADATA_NETWORKS)
    );
    if (way!.isOfStream && isOfMachine && !isLocalAllowed) way = null;
    else proxies.push({ host, port, addresses });
  }
  const local: LocalOrigin[] = [];
  let isLan = false;
  for (const url of urls) {
    const place = new URL(url);
    const { hostname } = place;
    const isByProxy = proxyFor(place, way) !== null;
    const addresses = await addressesOf(hostname, network);
    const here = addresses.filter((address) => isOwnAddress(address, network));
    // an unknown name may be of the local network; a proxy's name server knows the names of other networks
    isLan ||= (addresses.length === 0 && !isByProxy) || addresses.some((one) => isInNetworks(one, lan)) ||
      here.length > 0;
    const isUsed = isLocalAllowed && here.length > 0 && /^[a-z0-9._-]+$|^\[[0-9a-f:.]+\]$/.test(hostname);
    if (isUsed) {
      local.push({
        host: hostname,
        port: portOf(place),
        addresses: here,
      });
    }
  }
  return { ...own, walls: null, local, isLan, way, proxies: way ? proxies : [] };
}

/** Loopback's notations, as they are after a URL's parser: 127.1 and 0x7f000001 are 127.0.0.1 there. */
const LOOPBACK_ADDRESSES = ["127.*.*.*", "0.*.*.*", "::*"];
const LOOPBACK_NAMES = ["localhost", "*.localhost"];

function resolverRules({ walls, local, ownNames, ownAddresses, proxies }: Reach): string {
  // by this name alone: even the service's other names and addresses lead nowhere
  if (walls) return `MAP ${WALL_HOST}:80 ${hostText(walls)}, MAP * ~NOTFOUND`;
  const allowed = [...local, ...proxies].map(({ host, port }) => `${host}:${port}`);
  const names = [...LOOPBACK_NAMES, ...ownNames, ...METADATA_NAMES];
  const addresses = [...LOOPBACK_ADDRESSES, ...ownAddresses, ...METADATA_HOSTS.map(plainHost)];
  // a dot at the end makes no other name, but another text; Local Network Access lets "localhost." be prefetched
  const refused = [...addresses, ...names, ...names.map((name) => `${name}.`)];
  return [
    // to itself: the first fitting rule counts
    ...allowed.map((place) => `MAP ${place} ${place}`),
    ...refused.map((pattern) => `MAP ${pattern} ~NOTFOUND`),
  ].join(", ");
}

/** The first fitting entry counts. */
function addressSpaces({ walls, local, ownAddresses, neighbours, isLan }: Reach): string {
  const endpoint = (address: string, port: number) => `${hostText({ name: address, port })}=public`;
  return [
    ...(walls ? [endpoint(walls.name, walls.port)] : []),
    // a page on this machine is kept from the rest of the machine, too
    ...local.flatMap(({ addresses, port }) => addresses.map((address) => endpoint(address, port))),
    ...[...ownAddresses.map(networkOf), ...translated(ownAddresses), ...METADATA_NETWORKS]
      .map((network) => `${network}=loopback`),
    // a page of the local network may use that network, but for Chromium "local" may ask "loopback"
    ...[...LAN, ...neighbours].map((network) => `${network}=${isLan ? "public" : "local"}`),
  ].join(",");
}

/** Features by which Local Network Access checks more than the requests of `fetch`. */
const CHECKS = [
  "LocalNetworkAccessChecks",
  "LocalNetworkAccessChecksWebSockets",
  "LocalNetworkAccessChecksWebTransport",
  "LocalNetworkAccessChecksWebRTC",
  "LocalNetworkAccessForNavigations",
  "LocalNetworkAccessForSubframeNavigations",
  "LocalNetworkAccessForFencedFrameNavigations",
  "LocalNetworkAccessForWorkers",
  // the header of without_webrtc.ts
  "ConnectionAllowlists",
];

function scriptAddress(script: string): string {
  return `data:application/x-ns-proxy-autoconfig;base64,${btoa(script)}`;
}

/** The flags for one browser. */
export function reachFlags(reach: Reach): string[] {
  return [
    `--host-resolver-rules=${resolverRules(reach)}`,
    `--ip-address-space-overrides=${addressSpaces(reach)}`,
    `--enable-features=${CHECKS}`,
    // each question to a person, also for the network, gets a no
    "--deny-permission-prompts",
    ...(reach.way ? [`--proxy-pac-url=${scriptAddress(proxyScript(reach.way, reach))}`] : []),
  ];
}
