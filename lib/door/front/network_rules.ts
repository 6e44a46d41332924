/** What counts as one client, for both nginx. */
import type { Config } from "../../config.ts";
import { render, type Templates } from "../../templates.ts";

/** What counts as one client, for the `stream` part of an nginx: the zone is named `peers`. */
export function networkRules(
  { TRUSTED_PROXIES }: Pick<Config, "TRUSTED_PROXIES">,
  { networks }: Pick<Templates, "networks">,
): string {
  const trustedProxies = TRUSTED_PROXIES.map((network) => `${network} 1;`).join(" ");
  return render(networks, { trustedProxies }).trimEnd().replaceAll("\n", "\n  ");
}
