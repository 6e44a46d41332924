/**
 * The machines that a stream's page may be on: all but this machine (unless the operator allows it) and cloud metadata
 * services. The addresses decide: a name may resolve to anything.
 */
import { isIP } from "node:net";
import { isMetadataHost, METADATA_NETWORKS } from "./metadata.ts";
import { isInNetworks, networkAround, parseNetwork } from "../machine/net/networks.ts";
import { translated } from "./translated.ts";
import { isOnWallHost, wallOfAddress } from "./wall_address.ts";

/** "This host" and loopback. Source: RFC 6890; systems take 0.0.0.0 and :: for loopback. */
export const LOOPBACK: readonly string[] = ["127.0.0.0/8", "0.0.0.0/8", "::1/128", "::/128", "::7f00:0/104"];

/** Source: RFC 1918, RFC 6598, RFC 3927, RFC 4193, RFC 4291, RFC 3879; and RFC 5771, RFC 919: many of a network at once. */
const PRIVATE: readonly string[] = [
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "169.254.0.0/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "224.0.0.0/4",
  "255.255.255.255/32",
  "ff00::/8",
];

/** The local network of any machine. */
export const LAN: readonly string[] = [...PRIVATE, ...translated(PRIVATE)];

/** The machine's name and addresses, and its resolver. */
export interface Network {
  /** The machine's own name. */
  hostname: string;
  /** The machine's addresses, with or without loopback's. */
  ownAddresses(): string[];
  /** Each address of the machine with the length of its network's prefix, such as "192.0.2.5/24". */
  ownNetworks(): string[];
  /** The addresses of a name; empty: the name has none, or no server answers. */
  resolve(name: string): Promise<string[]>;
}

/** A URL's host without the brackets of an IPv6 address and the dots at the end. */
export function plainHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.+$/, "");
}

/** The port of a web address: its scheme's own where it names none. */
export function portOf({ port, protocol }: Pick<URL, "port" | "protocol">): number {
  return Number(port) || (/^(https|wss):$/.test(protocol) ? 443 : 80);
}

/** Whether a name means loopback on every machine. Source: RFC 6761, section 6.3. */
export function isLocalhost(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}

/** Whether a name always means this machine. */
function isOwnName(host: string, { hostname }: Network): boolean {
  return isLocalhost(host) || host === hostname.toLowerCase();
}

/** Whether an address is one of this machine. */
export function isOwnAddress(address: string, network: Network): boolean {
  const own = network.ownAddresses().map((one) => one.replace(/%.*$/, ""));
  return isInNetworks(address, LOOPBACK) || isInNetworks(address, own);
}

/** The networks of the machine's neighbours that no list has, such as a home's network of IPv6. */
export function neighbourNetworks(network: Network): string[] {
  const found = network.ownNetworks().flatMap((text) => {
    const { address, bits } = parseNetwork(text) ?? { address: "", bits: 0 };
    // a prefix of 0 is all there is
    const isOthers = bits > 0 && !isInNetworks(address, LOOPBACK) && !isInNetworks(address, LAN);
    return isOthers ? [networkAround(address, bits)] : [];
  });
  return [...new Set(found)];
}

/** The addresses that a URL's host stands for. */
export async function addressesOf(hostname: string, network: Network): Promise<string[]> {
  const host = plainHost(hostname);
  if (isIP(host) !== 0) return [host];
  if (isLocalhost(host)) return ["127.0.0.1", "::1"];
  return await network.resolve(host);
}

/** What one look at a name gave: the addresses to use, or the reason why none of them may be used. */
export type JudgedPlace = { addresses: string[]; problem: null } | { addresses: null; problem: string };

const refused = (problem: string): JudgedPlace => ({ addresses: null, problem });

/**
 * One look-up of a host, judged; whoever connects uses its addresses and no later look-up. A single address of a cloud's
 * metadata service refuses all. @param hostname as a URL has it; a metadata service's own name is refused as well.
 */
export async function judgeHost(hostname: string, network: Network): Promise<JudgedPlace> {
  const addresses = await addressesOf(hostname, network);
  return isMetadataHost(hostname) || addresses.some((one) => isInNetworks(one, METADATA_NETWORKS))
    ? refused("Its name leads to a cloud's metadata service.")
    : { addresses, problem: null };
}

const LOCAL_PROBLEM = "This address is on the machine that runs the service, which pages must not reach. " +
  "If the page really lives here, start the service with ALLOW_LOCAL_STREAMS=true.";

const WALL_PROBLEM = "This is the service's own name for its walls, and no wall. " +
  'Open Walls in the menu, and choose "Make it a channel" there.';

/**
 * The same for a web address, which may not be on this machine either, unless the operator allows it. Without addresses
 * and without a problem: an unknown name may be known later.
 */
export async function judgePlace(
  url: string,
  network: Network,
  isLocalAllowed: boolean,
): Promise<JudgedPlace> {
  if (isOnWallHost(url)) {
    return wallOfAddress(url) === null ? refused(WALL_PROBLEM) : { addresses: [], problem: null };
  }
  const { hostname } = new URL(url);
  const place = await judgeHost(hostname, network);
  if (place.problem !== null) {
    return refused("Cloud metadata addresses are never shown: they hold the machine's credentials.");
  }
  const isLocal = isOwnName(plainHost(hostname), network) ||
    place.addresses.some((address) => isOwnAddress(address, network));
  return isLocal && !isLocalAllowed ? refused(LOCAL_PROBLEM) : place;
}

/** The problem of a web address's place; null: pages may be there. */
export async function placeProblem(
  url: string,
  network: Network,
  isLocalAllowed: boolean,
): Promise<string | null> {
  return (await judgePlace(url, network, isLocalAllowed)).problem;
}
