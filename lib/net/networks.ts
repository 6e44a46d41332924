/** Lists of IP networks in CIDR notation (RFC 4632, RFC 4291). */
import { BlockList, isIP } from "node:net";

const families = { 4: "ipv4", 6: "ipv6" } as const;

interface Network {
  address: string;
  /** Leading bits that count. */
  bits: number;
  family: "ipv4" | "ipv6";
}

/** "10.0.0.0/8", "fd00::/8", or one address; null for anything else. */
export function parseNetwork(text: string): Network | null {
  const match = /^([0-9a-fA-F:.]+)(?:\/(\d{1,3}))?$/.exec(text);
  const version = match ? isIP(match[1]) : 0;
  if (version !== 4 && version !== 6) return null;
  const all = version === 4 ? 32 : 128;
  const bits = match![2] === undefined ? all : Number(match![2]);
  return bits <= all ? { address: match![1], bits, family: families[version] } : null;
}

/** The network of one address alone. */
export function networkOf(address: string): string {
  return `${address}/${isIP(address) === 6 ? 128 : 32}`;
}

/** The block list of each list of networks, built once. */
const built = new WeakMap<readonly string[], BlockList>();

/** Whether an address lies in one of the networks; an IPv4 address may come as an IPv6 one (::ffff:10.0.0.1). */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  if (networks.length === 0) return false;
  const plain = address.replace(/%.*$/, ""); // the zone of a link-local address
  const version = isIP(plain);
  return (version === 4 || version === 6) && listOf(networks).check(plain, families[version]);
}

function listOf(networks: readonly string[]): BlockList {
  let list = built.get(networks);
  if (!list) {
    list = new BlockList();
    for (const text of networks) {
      const network = parseNetwork(text);
      if (!network) throw new Error(`"${text}" is no network`);
      list.addSubnet(network.address, network.bits, network.family);
    }
    built.set(networks, list);
  }
  return list;
}
