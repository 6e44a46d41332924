/** The front door's configuration: nginx, which limits connections and passes every request to the web app. */
import { join } from "node:path";
import type { Config } from "../config.ts";
import { bothFamilies } from "../net/families.ts";
import { hostText } from "../net/host.ts";
import { serverHeaders } from "../http/headers.ts";
import type { Paths } from "../paths.ts";
import { isRoot } from "../system/exec.ts";

type FrontConfig = Pick<Config, "HOST" | "PORT" | "TRUSTED_PROXIES" | "MAX_CONNECTIONS" | "TIMINGS">;

/** Ports below need root to be listened on. */
const FIRST_FREE_PORT = 1024;

/** Whether the front door needs a right of root's to listen. */
export function needsRoot({ PORT }: Pick<Config, "PORT">): boolean {
  return isRoot() && PORT < FIRST_FREE_PORT;
}

/** Where the part that counts connections passes them on to the part that speaks HTTP (templates/front.conf). */
export function frontSocket({ frontDir }: Pick<Paths, "frontDir">): string {
  return join(frontDir, "http.sock");
}

/** The values of templates/front.conf. */
export function frontValues(config: FrontConfig, paths: Paths): Record<string, string | number> {
  const { HOST, PORT, TRUSTED_PROXIES } = config;
  const headers = Object.entries(serverHeaders());
  return {
    run: paths.runDir,
    ownSocket: frontSocket(paths),
    webSocket: paths.webSocket,
    viewersSocket: paths.viewersSocket,
    // as Deno listens on "::": for IPv4 too
    listens: HOST === "::"
      ? `listen [::]:${PORT} ipv6only=off;`
      : bothFamilies(HOST).map((name) => `listen ${hostText({ name, port: PORT })};`).join(" "),
    trustedProxies: TRUSTED_PROXIES.map((network) => `${network} 1;`).join(" "),
    maxConnections: config.MAX_CONNECTIONS,
    requestMs: config.TIMINGS.requestMs,
    headers: headers.map(([name, value]) => `add_header ${name} "${value}" always;`).join("\n      "),
    bareMaps: headers.map(([, value], at) => `map $is_bare $bare_${at} { 1 "${value}"; default ""; }`)
      .join("\n  "),
    // nginx adds no header whose value is empty
    bareHeaders: headers.map(([name], at) => `add_header ${name} $bare_${at} always;`).join("\n      "),
  };
}
