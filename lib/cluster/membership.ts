/**
 * This machine's membership of the cluster that the configuration names. The file loads NATS' client, so it is loaded only
 * where CLUSTER is set.
 */
import { readClusterAccess } from "../door/access/cluster_access.ts";
import type { Shared } from "./buckets.ts";
import { connectNats, openShared } from "./nats.ts";
import { clusterKey } from "./sealed_bucket.ts";
import { type Config, ConfigError } from "../config.ts";
import { hostText } from "../machine/net/host.ts";
import { isInNetworks } from "../machine/net/networks.ts";
import { LOOPBACK } from "../reach/reach.ts";
import { thisNetwork } from "../reach/this_network.ts";
import { pathsOf } from "../paths.ts";
import type { Membership } from "./member.ts";

/** Addresses by which other machines do not reach this one. */
const NOT_FROM_AFAR = [...LOOPBACK, "169.254.0.0/16", "fe80::/10"];

/** The most servers that keep each record: of three, one may be lost. */
const MOST_REPLICAS = 3;

/**
 * Opens what the cluster's nodes share, over a new connection. @param isFounder whether missing buckets are made.
 * @throws {ConfigError | AwayError | OtherClusterError}
 */
export async function openCluster(config: Config, isFounder = false): Promise<Shared> {
  const access = (await readClusterAccess(config))!;
  const { user, pass } = access.login ?? {};
  const caFile = pathsOf(config).issuersFile;
  const connection = await connectNats({ addresses: config.CLUSTER, user, pass, caFile });
  try {
    const key = await clusterKey(new TextEncoder().encode(access.secret));
    const replicas = config.CLUSTER.length < MOST_REPLICAS ? 1 : MOST_REPLICAS;
    return await openShared(connection, config.CLUSTER_NAME, key, isFounder ? replicas : null);
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** @throws {ConfigError} when the secret cannot be read, or other nodes would not reach this one. */
export async function readMembership(config: Config): Promise<Membership> {
  const access = (await readClusterAccess(config))!;
  return {
    id: config.CLUSTER_NAME,
    name: nodeName(config),
    address: nodeUrl(config),
    secret: new TextEncoder().encode(access.secret),
    ask: fetch,
    open: () => openCluster(config),
  };
}

/** This node's name: NODE_NAME, or the host's name without its domain. */
export function nodeName({ NODE_NAME }: Pick<Config, "NODE_NAME">, hostname = thisNetwork.hostname): string {
  return NODE_NAME || hostname.split(".")[0].replace(/[^a-zA-Z0-9_-]/g, "-").slice(0, 63);
}

/** @throws {ConfigError} when this machine listens on loopback alone, and NODE_URL does not say how it is reached. */
export function nodeUrl(
  { NODE_URL, HOST, PORT }: Pick<Config, "NODE_URL" | "HOST" | "PORT">,
  own: readonly string[] = thisNetwork.ownAddresses(),
): string {
  if (NODE_URL) return NODE_URL;
  const places = ["0.0.0.0", "::"].includes(HOST) ? own : [HOST];
  const name = places.find((one) => one !== "localhost" && !isInNetworks(one, NOT_FROM_AFAR));
  if (name !== undefined) return `http://${hostText({ name, port: PORT })}`;
  throw new ConfigError(
    `HOST=${HOST} is not reached by the cluster's other nodes. Example: NODE_URL=http://10.0.0.1:3000`,
  );
}
