/** Where the media server listens. */
import { isIPv6 } from "node:net";
import { type Config, isLoginOn } from "../config.ts";

type Media = Pick<Config, "MEDIA_HOST" | "MEDIA_PORT" | "AUTH_PASS" | "AUTH_PASS_FILE">;

/** Loopback, which our proxy asks, and what the operator opened: not with a login, which the media server knows nothing of. */
export function mediaHosts(config: Media): string[] {
  return isLoginOn(config) ? ["127.0.0.1"] : [...new Set(["127.0.0.1", config.MEDIA_HOST])];
}

/** The lines for nginx.conf. */
export function mediaListen(config: Media): string {
  const address = (host: string) => `${isIPv6(host) ? `[${host}]` : host}:${config.MEDIA_PORT}`;
  return mediaHosts(config).map((host) => `listen ${address(host)};`).join(" ");
}
