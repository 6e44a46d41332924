/** The kernel's rules for a stream's user: of the browser's pages, and of the push. */
import type { Config } from "../../config.ts";
import { localHost } from "../../machine/net/host.ts";
import { parseNatsAddress } from "../../machine/net/nats_address.ts";
import { parsePushTarget, type PushTarget } from "../../machine/net/push_target.ts";
import { addressesOf, type JudgedPlace, judgePlace, type Network } from "../../reach/reach.ts";
import { thisNetwork } from "../../reach/this_network.ts";
import { wayOutOf } from "../../reach/way_out.ts";
import { filterTable, pathsOf } from "../../paths.ts";
import { findReach, type Reach } from "../../reach/browser_flags.ts";
import { innerPort } from "../../live/programs/commands/push/held_port.ts";
import { type Place, type PushedPlace, reachRules } from "../../reach/packet_rules.ts";
import { otherAddresses } from "../../model/plan/timetable.ts";
import { parseOrigins } from "../../model/login_origins.ts";
import type { Stream } from "../../model/schema.ts";
import type { Identity } from "../../machine/os/exec.ts";
import { PacketFilter } from "../../machine/os/packet_filter.ts";
import { errorText } from "../../machine/tools/log.ts";

/** The places that a stream's page may reach. */
export async function reachOf(config: Config, stream: Stream): Promise<Reach> {
  const { loginOrigins, sites } = stream;
  const others = [loginOrigins, sites].flatMap((text) => parseOrigins(text) ?? []);
  const urls = [stream.url, ...otherAddresses(stream), ...others];
  const service = { name: localHost(config.HOST), port: config.PORT };
  const way = wayOutOf(config, stream.proxy);
  return await findReach(urls, thisNetwork, config.ALLOW_LOCAL_STREAMS, service, way);
}

/** The place that a channel is pushed to, by one look-up, so that the judged address is the one that gets the connection. */
export async function judgeTarget(
  { ALLOW_LOCAL_STREAMS }: Pick<Config, "ALLOW_LOCAL_STREAMS">,
  { host, isListener }: PushTarget,
  network: Network = thisNetwork,
): Promise<JudgedPlace> {
  if (isListener) return { addresses: [], problem: null };
  return await judgePlace(`http://${host}/`, network, ALLOW_LOCAL_STREAMS);
}

/** The place that a stream is pushed to, for the kernel's rules; null: none, or none that it may be pushed to. */
export async function placeOfPush(
  config: Pick<Config, "ALLOW_LOCAL_STREAMS">,
  { display, stream: { pushTo } }: { display: number; stream: Pick<Stream, "pushTo"> },
  network: Network = thisNetwork,
): Promise<PushedPlace | null> {
  const target = parsePushTarget(pushTo);
  if (!target) return null;
  const { addresses } = await judgeTarget(config, target, network);
  const { port, protocol, isListener } = target;
  return addresses && { addresses, port, isUdp: protocol === "srt", isListener, inner: innerPort(display) };
}

/** Where the cluster's servers are: no page needs them. */
async function serversOf({ CLUSTER }: Config): Promise<Place[]> {
  return await Promise.all(
    CLUSTER.flatMap((text) => parseNatsAddress(text) ?? []).map(async ({ name, port }) => ({
      addresses: await addressesOf(name, thisNetwork),
      port,
    })),
  );
}

/** Sets the kernel's rules for a stream's user, where the start has promised them. @throws {Error} when it cannot. */
export async function restrict(
  config: Config,
  user: Identity,
  reach: Reach,
  pushed: PushedPlace | null,
): Promise<void> {
  const servers = await serversOf(config);
  const rules = reachRules(reach, config.RTMP_PORT, config.REACHABLE_NETWORKS, pushed, servers);
  try {
    await PacketFilter.of(filterTable(config), pathsOf(config).networkRulesDir).restrict(user.uid, rules);
  } catch (error) {
    throw new Error(`the kernel's rules for the stream's network cannot be set: ${errorText(error)}`);
  }
}
