/** All receivers of messages: that of the variables, and those that people set up. */
import { type ProxyLogin, proxyOf } from "../auth/proxy_login.ts";
import type { Config } from "../config.ts";
import { addressOf, isQuiet, isWanted, type StoredReceiver } from "../model/receivers.ts";
import { ownTimeZone, Zone } from "../model/plan/local_time.ts";
import { wayOutOf } from "../net/way_out.ts";
import type { Target } from "./outbox.ts";
import { readReceiver, type Receiver } from "./variables.ts";

type ProxyOf = (url: URL) => Deno.Proxy | null;

/** Gets all that goes wrong, at any hour, as before there were others. */
export function targetOfVariables(receiver: Receiver, proxyOf: ProxyOf): Target {
  return {
    ...{ id: "", host: receiver.url.host, route: { http: receiver, proxy: proxyOf(receiver.url) } },
    ...{ wants: () => true, isQuiet: () => false },
  };
}

/** The receivers as they are now. @throws {ConfigError} when the variables are not valid. */
export async function targetsOf(
  config: Config,
  proxyLogin: ProxyLogin | null,
  receivers: { list(): readonly StoredReceiver[] },
): Promise<() => readonly Target[]> {
  const way = wayOutOf(config);
  const proxy = (url: URL) => proxyOf(url, way, proxyLogin);
  const receiver = await readReceiver(config);
  const first = receiver ? [targetOfVariables(receiver, proxy)] : [];
  return () => [...first, ...receivers.list().map((one) => targetOf(one, proxy))];
}

export function targetOf(stored: StoredReceiver, proxyOf: ProxyOf): Target {
  const { id, way, server, secret, chat } = stored;
  const zone = Zone.named(ownTimeZone());
  const common = {
    id,
    wants: (...[kind, group]: Parameters<Target["wants"]>) => isWanted(stored, kind, group),
    isQuiet: (now: number) => isQuiet(stored, zone.localTime(now).minute),
  };
  if (way === "mail") return { ...common, host: server, route: { mail: stored } };
  const url = addressOf(stored)!; // the schema has looked at it
  return {
    ...common,
    host: url.host,
    route: { http: { url, format: way, secret, chat }, proxy: proxyOf(url) },
  };
}
