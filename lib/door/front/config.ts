/** The front door's configuration: nginx, which limits connections and passes every request to the web app. */
import { join } from "node:path";
import type { Config } from "../../config.ts";
import { bothFamilies } from "../../machine/net/families.ts";
import { hostText } from "../../machine/net/host.ts";
import { serverHeaders } from "../headers.ts";
import type { Paths } from "../../paths.ts";
import { networkRules } from "./network_rules.ts";
import { render, type Templates } from "../../templates.ts";

type FrontConfig = Pick<Config, "HOST" | "PORT" | "TRUSTED_PROXIES" | "MAX_CONNECTIONS" | "TIMINGS">;

/** Where the part that counts connections passes them on to the part that speaks HTTP (templates/front.conf). */
export function frontSocket({ frontDir }: Pick<Paths, "frontDir">): string {
  return join(frontDir, "http.sock");
}

/** front.conf, from its templates. */
export function frontConfig(
  config: FrontConfig,
  paths: Paths,
  templates: Pick<Templates, "front" | "networks">,
): string {
  const { HOST, PORT } = config;
  const headers = Object.entries(serverHeaders());
  return render(templates.front, {
    run: paths.runDir,
    ownSocket: frontSocket(paths),
    webSocket: paths.webSocket,
    viewersSocket: paths.viewersSocket,
    listens: bothFamilies(HOST).map((name) => `listen ${hostText({ name, port: PORT })};`).join(" "),
    networks: networkRules(config, templates),
    maxConnections: config.MAX_CONNECTIONS,
    requestMs: config.TIMINGS.requestMs,
    headers: headers.map(([name, value]) => `add_header ${name} "${value}" always;`).join("\n      "),
    bareMaps: headers.map(([, value], at) => `map $is_bare $bare_${at} { 1 "${value}"; default ""; }`)
      .join("\n  "),
    // nginx adds no header whose value is empty
    bareHeaders: headers.map(([name], at) => `add_header ${name} $bare_${at} always;`).join("\n      "),
  });
}
