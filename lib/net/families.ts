/**
 * Addresses that belong together: names such as localhost lead to both, and a machine's own name may. A service on one
 * of them leaves the other to any program, whose false login page would look like ours.
 */
import { isIPv6 } from "node:net";
import { isInNetworks } from "./networks.ts";
import { isLocalhost } from "./reach.ts";

const TWINS: Readonly<Record<string, string>> = {
  "127.0.0.1": "::1",
  "::1": "127.0.0.1",
  "0.0.0.0": "::",
  "::": "0.0.0.0",
};

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
  // the name means both, and would be bound in one
  const address = isLocalhost(host.toLowerCase()) ? "127.0.0.1" : host;
  const twin = TWINS[address];
  return twin !== undefined && has(twin) ? [address, twin] : [address];
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
