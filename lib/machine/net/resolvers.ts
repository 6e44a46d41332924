/** The name servers of /etc/resolv.conf. Pure. */
import { isIP } from "node:net";

/** For a machine that names no server. Source: resolv.conf(5). */
const WITHOUT: readonly string[] = ["127.0.0.1", "::1"];

/** The addresses of the name servers in the text of /etc/resolv.conf, each once; an interface's name is left out. */
export function resolversOf(text: string): string[] {
  const words = text.split("\n").map((line) => line.trim().split(/\s+/));
  const servers = words.filter(([keyword]) => keyword === "nameserver")
    .map(([, server = ""]) => server.replace(/%.*$/, "")).filter((server) => isIP(server) !== 0);
  return servers.length === 0 ? [...WITHOUT] : [...new Set(servers)];
}
