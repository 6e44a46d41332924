/** Whether the proxies of HTTP_PROXY and HTTPS_PROXY answer. */
import { proxyText } from "../../reach/proxy_server.ts";
import { plainHost } from "../../reach/reach.ts";
import { proxiesOf, unknownPlaces, type WayOutConfig, wayOutOf } from "../../reach/way_out.ts";
import { errorText } from "../../machine/tools/log.ts";
import { withTimeout } from "../../machine/tools/time.ts";
import { type Finding, ok, skipped, warning } from "./finding.ts";

const CONNECT_MS = 3000;

/** Connects to each proxy; its own rules are not checked. */
export async function checkProxies(
  config: WayOutConfig,
): Promise<Finding> {
  const proxies = proxiesOf(wayOutOf(config));
  if (proxies.length === 0) return skipped("HTTP_PROXY and HTTPS_PROXY are not set: pages go out directly");
  const names = proxies.map(proxyText).join(" and ");
  const connected = proxies.map(async ({ host, port }) => {
    const connecting = Deno.connect({ hostname: plainHost(host), port });
    using _connection = await withTimeout(CONNECT_MS, connecting, "no answer in 3 s");
  });
  return await Promise.all(connected).then(
    () => directFinding(config) ?? ok(`pages go out by ${names}`),
    (error) =>
      warning(
        `pages go out by ${names}, which cannot be reached (${errorText(error)})`,
        "Correct HTTP_PROXY and HTTPS_PROXY, or start the proxy.",
      ),
  );
}

/** A finding with the ignored entries of NO_PROXY, for a start as well; null: none is ignored, or there is no proxy. Pure. */
export function directFinding(config: WayOutConfig): Finding | null {
  const unknown = wayOutOf(config) === null ? [] : unknownPlaces(config);
  if (unknown.length === 0) return null;
  return warning(
    `NO_PROXY: ${unknown.map((text) => JSON.stringify(text)).join(", ")} is not understood and is ignored`,
    "Entries are names, addresses and networks. Example: NO_PROXY=.example.org,10.0.0.0/8,192.168.*",
  );
}
