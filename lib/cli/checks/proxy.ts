/** Whether the proxies of HTTP_PROXY and HTTPS_PROXY answer. */
import type { Config } from "../../config.ts";
import { proxyText } from "../../net/proxy_server.ts";
import { plainHost } from "../../net/reach.ts";
import { proxiesOf, wayOutOf } from "../../net/way_out.ts";
import { errorText } from "../../system/log.ts";
import { withTimeout } from "../../system/time.ts";
import { type Finding, ok, skipped, warning } from "./finding.ts";

const CONNECT_MS = 3000;

/** Connects to each proxy; its own rules are not checked. */
export async function checkProxies(
  config: Pick<Config, "HTTP_PROXY" | "HTTPS_PROXY" | "NO_PROXY">,
): Promise<Finding> {
  const proxies = proxiesOf(wayOutOf(config));
  if (proxies.length === 0) return skipped("HTTP_PROXY and HTTPS_PROXY are not set: pages go out directly");
  const names = proxies.map(proxyText).join(" and ");
  const connected = proxies.map(async ({ host, port }) => {
    const connecting = Deno.connect({ hostname: plainHost(host), port });
    using _connection = await withTimeout(CONNECT_MS, connecting, "no answer in 3 s");
  });
  return await Promise.all(connected).then(
    () => ok(`pages go out by ${names}`),
    (error) =>
      warning(
        `pages go out by ${names}, which cannot be reached (${errorText(error)})`,
        "Correct HTTP_PROXY and HTTPS_PROXY, or see to the proxy.",
      ),
  );
}
