/** Where the media server listens. */
import { isIPv6 } from "node:net";
import { type Config, isLoginOn } from "../config.ts";
import { bothFamilies } from "../net/families.ts";

type Media = Pick<Config, "MEDIA_HOST" | "MEDIA_PORT" | "AUTH_PASS" | "AUTH_PASS_FILE">;

/**
 * Loopback, which our proxy asks, and what the operator opened: not with a login, which the media server knows nothing of.
 * @param has whether this machine has an address.
 */
export function mediaHosts(config: Media, has?: (host: string) => boolean): string[] {
  const hosts = isLoginOn(config) ? ["127.0.0.1"] : ["127.0.0.1", config.MEDIA_HOST];
  return [...new Set(hosts.flatMap((host) => bothFamilies(host, has)))];
}

/** The lines for nginx.conf. @param has whether this machine has an address. */
export function mediaListen(config: Media, has?: (host: string) => boolean): string {
  const address = (host: string) => `${isIPv6(host) ? `[${host}]` : host}:${config.MEDIA_PORT}`;
  return mediaHosts(config, has).map((host) => `listen ${address(host)};`).join(" ");
}
