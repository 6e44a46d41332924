/** Where the media server listens. */
import { type Config, isLoginOn, type LoginConfig } from "../../config.ts";
import { bothFamilies, widest } from "../../machine/net/families.ts";
import { hostText } from "../../machine/net/host.ts";

type Media = Pick<Config, "MEDIA_HOST" | "MEDIA_PORT"> & LoginConfig;

/**
 * Loopback, which our proxy asks, and what the operator opened: not with a login, which the media server knows nothing of.
 * @param has whether this machine has an address.
 */
export function mediaHosts(config: Media, has?: (host: string) => boolean): string[] {
  const hosts = isLoginOn(config) ? ["127.0.0.1"] : ["127.0.0.1", config.MEDIA_HOST];
  return widest(hosts.flatMap((host) => bothFamilies(host, has)));
}

/** The lines for nginx.conf. @param has whether this machine has an address. */
export function mediaListen(config: Media, has?: (host: string) => boolean): string {
  const { MEDIA_PORT: port } = config;
  return mediaHosts(config, has).map((name) => `listen ${hostText({ name, port })};`).join(" ");
}
