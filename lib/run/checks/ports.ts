/** The ports that the service listens on. */
import type { Config } from "../../config.ts";
import { mediaHosts } from "../../channel/media/listen.ts";
import { bothFamilies } from "../../machine/net/families.ts";
import { hostText } from "../../machine/net/host.ts";
import type { Paths } from "../../paths.ts";
import { isListeningAs, type PortClaim } from "../../machine/os/ports.ts";

/** An address that is taken for a program. */
export interface ServiceClaim extends PortClaim {
  program: "front" | "media" | "vnc-proxy";
  /** Whether no program answers there: we only keep others from an address of a name with both families. */
  isHeld: boolean;
}

/** Each claim with the variable that chooses the port. @param has whether this machine has an address. */
export function portClaims(config: Config, has?: (host: string) => boolean): ServiceClaim[] {
  const own = (program: ServiceClaim["program"], variable: string, port: number, hosts: string[]) =>
    hosts.map((hostname) => ({ program, variable, port, hostname, isHeld: false }));
  const alone = (program: ServiceClaim["program"], variable: string, port: number) =>
    bothFamilies("127.0.0.1", has).map((hostname, at) => ({
      program,
      variable,
      port,
      hostname,
      isHeld: at > 0,
    }));
  return [
    ...own("front", "PORT", config.PORT, bothFamilies(config.HOST, has)),
    ...own("media", "MEDIA_PORT", config.MEDIA_PORT, mediaHosts(config, has)),
    ...alone("media", "RTMP_PORT", config.RTMP_PORT),
    ...alone("vnc-proxy", "VNC_PROXY_PORT", config.VNC_PROXY_PORT),
  ];
}

/** A port for secrets that another user's program, or no program, listens on; null: all these ports are ours. */
export async function strangersPort(
  config: Config,
  { runDir }: Pick<Paths, "runDir">,
): Promise<ServiceClaim | null> {
  // the user that started the service owns this folder, and the sockets
  const { uid } = await Deno.lstat(runDir);
  for (const claim of portClaims(config)) {
    if (!claim.isHeld && !await isListeningAs(uid!, claim.hostname, claim.port)) return claim;
  }
  return null;
}

/** Milliseconds that sent bytes wait for their client at most: another client gets a silent one's place within 30 s. */
export const UNTAKEN_MS = 15_000;

/** A program's sockets, as supervisord gets them (templates/supervisor_sockets.py). Pure. */
export function socketSettings(claims: readonly ServiceClaim[], program: ServiceClaim["program"]): string {
  const addresses = (isHeld: boolean) =>
    claims.filter((claim) => claim.program === program && claim.isHeld === isHeld)
      .map(({ hostname, port }) => hostText({ name: hostname, port })).join(" ");
  const untaken = program === "front" ? `,UNTAKEN_MS="${UNTAKEN_MS}"` : "";
  return `LISTEN_ON="${addresses(false)}",HELD="${addresses(true)}"${untaken}`;
}
