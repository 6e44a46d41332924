/**
 * Addresses that belong together: names such as localhost lead to both, and a machine's own name may. A service on one
 * of them leaves the other to any program, whose false login page would look like ours.
 */
import { isIPv6 } from "node:net";
import { isInNetworks } from "./networks.ts";

const TWINS: Readonly<Record<string, string>> = {
  "127.0.0.1": "::1",
  "::1": "127.0.0.1",
  "0.0.0.0": "::",
  "::": "0.0.0.0",
};

/** The one spelling of an address: IPv6 has many, and one for each address of IPv4. Source: RFC 5952, RFC 4291, 2.5.5.2. */
export function oneSpelling(address: string): string {
  if (!isIPv6(address)) return address;
  const plain = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(plain) ?? [];
  if (high === undefined) return plain;
  return [high, low].flatMap((word) => [parseInt(word, 16) >> 8, parseInt(word, 16) & 255]).join(".");
}

/** Whether this machine has the address; a machine without IPv6 has no "::". */
function isHere(hostname: string): boolean {
  try {
    Deno.listen({ hostname, port: 0 }).close();
    return true;
  } catch {
    return false;
  }
}

/** The addresses to listen on for a configured one. @param has whether the machine has an address. */
export function bothFamilies(host: string, has: (host: string) => boolean = isHere): string[] {
  const twin = TWINS[host];
  return twin !== undefined && has(twin) ? [host, twin] : [host];
}

/** The addresses to listen on that no other address includes. */
export function widest(hosts: readonly string[]): string[] {
  const isCovered = (host: string) => {
    const all = isIPv6(host) ? "::" : "0.0.0.0";
    return host !== all && hosts.includes(all);
  };
  return [...new Set(hosts)].filter((host) => !isCovered(host));
}

/** The trusted networks, with ::1 where 127.0.0.1 is trusted: a proxy on this machine may use either address. */
export function withBothLoopbacks(networks: readonly string[]): string[] {
  const isTrusted = isInNetworks("127.0.0.1", networks) && !isInNetworks("::1", networks);
  return isTrusted ? [...networks, "::1"] : [...networks];
}
