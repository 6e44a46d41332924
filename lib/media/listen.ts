/** Where the media server listens. */
import { isIPv6 } from "node:net";
import type { Config } from "../config.ts";

type Media = Pick<Config, "MEDIA_HOST" | "MEDIA_PORT">;

/** Loopback, which our proxy asks, and what the operator opened. */
export function mediaHosts({ MEDIA_HOST }: Media): string[] {
  return [...new Set(["127.0.0.1", MEDIA_HOST])];
}

/** The lines for nginx.conf. */
export function mediaListen(config: Media): string {
  const address = (host: string) => `${isIPv6(host) ? `[${host}]` : host}:${config.MEDIA_PORT}`;
  return mediaHosts(config).map((host) => `listen ${address(host)};`).join(" ");
}
