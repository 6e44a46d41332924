/**
 * Addresses that belong together: names such as localhost lead to both, and a machine's own name may. Who has but one
 * leaves the other to whoever comes first, and a false login there looks like ours.
 */
import { isIPv6 } from "node:net";
import { isInNetworks } from "./networks.ts";

const TWINS: Readonly<Record<string, string>> = {
  "127.0.0.1": "::1",
  "::1": "127.0.0.1",
  "0.0.0.0": "::",
  "::": "0.0.0.0",
};

/** Whether this machine has the address: one without IPv6 has no "::". */
function isHere(hostname: string): boolean {
  try {
    Deno.listen({ hostname, port: 0 }).close();
    return true;
  } catch {
    return false;
  }
}

/** The addresses to listen on for one that was asked for. @param has whether there is one. */
export function bothFamilies(host: string, has: (host: string) => boolean = isHere): string[] {
  const twin = TWINS[host];
  return twin !== undefined && has(twin) ? [host, twin] : [host];
}

/** Of addresses to listen on, those that no other one includes. */
export function widest(hosts: readonly string[]): string[] {
  const isCovered = (host: string) => {
    const all = isIPv6(host) ? "::" : "0.0.0.0";
    return host !== all && hosts.includes(all);
  };
  return [...new Set(hosts)].filter((host) => !isCovered(host));
}

/** Networks that are trusted, with ::1 where 127.0.0.1 is: a proxy on this machine may come by either. */
export function withBothLoopbacks(networks: readonly string[]): string[] {
  const isTrusted = isInNetworks("127.0.0.1", networks) && !isInNetworks("::1", networks);
  return isTrusted ? [...networks, "::1"] : [...networks];
}
