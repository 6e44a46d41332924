/** The ports that the service listens on. */
import type { Config } from "../../config.ts";
import { mediaHosts } from "../../media/listen.ts";
import { bothFamilies } from "../../net/families.ts";
import type { PortClaim } from "../../system/ports.ts";

/** Each with the variable that chooses it. */
export function portClaims(config: Config): PortClaim[] {
  return [
    ...bothFamilies(config.HOST).map((hostname) => ({ variable: "PORT", hostname, port: config.PORT })),
    ...mediaHosts(config).map((hostname) => ({ variable: "MEDIA_PORT", hostname, port: config.MEDIA_PORT })),
    { variable: "RTMP_PORT", hostname: "127.0.0.1", port: config.RTMP_PORT },
    { variable: "VNC_PROXY_PORT", hostname: "127.0.0.1", port: config.VNC_PROXY_PORT },
  ];
}
