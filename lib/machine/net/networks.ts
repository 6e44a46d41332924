/** Lists of IP networks in CIDR notation (RFC 4632, RFC 4291). */
import { BlockList, isIP, isIPv4 } from "node:net";

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

/** Bits of an IPv6 network's prefix at most: the neighbours of an address that is alone have addresses of the same 64. */
const IPV6_PREFIX = 64;

/** The eight numbers of a valid IPv6 address. */
export function ipv6Groups(address: string): number[] {
  const last = address.slice(address.lastIndexOf(":") + 1);
  const bytes = last.split(".").map(Number);
  const hex = (high: number, low: number) => (high * 256 + low).toString(16);
  const text = isIPv4(last)
    ? address.slice(0, -last.length) + `${hex(bytes[0], bytes[1])}:${hex(bytes[2], bytes[3])}`
    : address;
  const [front, back] = text.split("::").map((part) => part === "" ? [] : part.split(":"));
  const zeros = back ? Array(8 - front.length - back.length).fill("0") : [];
  return [...front, ...zeros, ...back ?? []].map((group) => parseInt(group, 16));
}

/** The network that an address of an interface is in. @param bits of the interface's prefix. */
export function networkAround(address: string, bits: number): string {
  const isSix = isIP(address) === 6;
  const [parts, size] = isSix ? [ipv6Groups(address), 16] : [address.split(".").map(Number), 8];
  const length = isSix ? Math.min(bits, IPV6_PREFIX) : bits;
  const kept = parts.map((part, at) => {
    const others = size - Math.min(size, Math.max(0, length - at * size));
    return part >> others << others;
  });
  const text = isSix ? kept.map((part) => part.toString(16)).join(":") : kept.join(".");
  return `${text}/${length}`;
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
