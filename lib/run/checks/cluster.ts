/** Whether this machine can be a node of the cluster that CLUSTER names. Changes nothing. */
import { AwayError, OtherClusterError } from "../../cluster/buckets.ts";
import { ClusterList } from "../../cluster/cluster_list.ts";
import { type Beat, BEAT_MS, LOST_MS, Nodes } from "../../cluster/nodes.ts";
import type { Config } from "../../config.ts";
import { canAsk } from "../../cluster/protocol.ts";
import { MOST_APART_SECONDS } from "../../model/answers/node.ts";
import { errorText } from "../../machine/tools/log.ts";
import { sleep } from "../../machine/tools/time.ts";
import { VERSION } from "../../machine/tools/version.ts";
import { type Finding, ok, problem, skipped, warning } from "./finding.ts";

/** A node that was heard, with its last beat. */
export interface HeardNode {
  name: string;
  beat: Pick<Beat, "version" | "protocol" | "oldest">;
  /** Milliseconds that its clock is ahead of the cluster's. */
  aheadMs: number;
  /** Its address, where nobody answers this machine; null: it answers, or is this machine. */
  silentAt: string | null;
}

/** Milliseconds until another node answers its health check. */
const ANSWER_MS = 2000;

/** Whether a node's web app answers at its address, whatever it says: the others ask it there. */
async function answers(address: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    await (await fetch(`${address}/healthz`, { signal, redirect: "manual" })).body?.cancel();
    return true;
  } catch {
    return false;
  }
}

/** @param isRunning whether the service runs here: its own beat is then heard. */
export async function checkCluster(config: Config, isRunning: boolean): Promise<Finding> {
  if (config.CLUSTER.length === 0) return skipped("CLUSTER is not set: this machine is alone");
  const { openCluster, nodeName, nodeUrl } = await import("../../cluster/membership.ts");
  const leaving = new AbortController();
  try {
    const url = nodeUrl(config);
    const shared = await openCluster(config);
    try {
      await ClusterList.open(shared.buckets.streams, config.CLUSTER_NAME, leaving.signal);
      const elapsed = () => performance.now();
      const nodes = await Nodes.open(shared.buckets.nodes, { name: "", run: "" }, elapsed, leaving.signal);
      await sleep(BEAT_MS, leaving.signal);
      const own = nodeName(config);
      const heard = nodes.list().map(async ({ name, beat, aheadMs }): Promise<HeardNode> => {
        const isSilent = name !== own && !await answers(beat.address);
        return { name, beat, aheadMs, silentAt: isSilent ? beat.address : null };
      });
      return clusterFinding(await Promise.all(heard), { own, url, isRunning });
    } finally {
      leaving.abort();
      await shared.close?.();
    }
  } catch (error) {
    return clusterFailure(error, config);
  }
}

/** The finding, with its remedy, where the cluster is not reached or does not exist. Pure. */
export function clusterFailure(
  error: unknown,
  { CLUSTER_NAME, CLUSTER }: Pick<Config, "CLUSTER_NAME" | "CLUSTER">,
): Finding {
  if (error instanceof OtherClusterError) {
    return problem(
      `the servers have no cluster "${CLUSTER_NAME}": ${error.message}`,
      'Create it on the first machine with "browser-stream cluster init", or correct CLUSTER_NAME or the secret.',
    );
  }
  if (error instanceof AwayError) {
    return problem(
      `${CLUSTER.join(", ")}: ${error.message}`,
      "Start NATS with JetStream there, or correct CLUSTER and CLUSTER_LOGIN_FILE. Streams of this machine go on meanwhile.",
    );
  }
  return problem(errorText(error));
}

/** Pure. */
export function clusterFinding(
  nodes: readonly HeardNode[],
  { own, url, isRunning }: { own: string; url: string; isRunning: boolean },
): Finding {
  const off = nodes.filter(({ aheadMs }) => Math.abs(aheadMs) > MOST_APART_SECONDS * 1000);
  if (off.length > 0) {
    const texts = off.map(({ name, aheadMs }) =>
      `${name} by ${(Math.abs(aheadMs) / 1000).toFixed(0)} s ${aheadMs > 0 ? "ahead" : "behind"}`
    );
    return warning(
      `clocks are off: ${texts.join(", ")}`,
      "Set the time of all machines from the network (systemd-timesyncd).",
    );
  }
  const others = nodes.filter(({ name }) => name !== own);
  if (isRunning && others.length === nodes.length) {
    return problem(
      `the service runs here, but the cluster has not heard from ${own} for ${LOST_MS / 1000} s`,
      'Its log says why: "not in the cluster".',
    );
  }
  const silent = others.filter(({ silentAt }) => silentAt !== null);
  if (silent.length > 0) {
    return problem(
      `nobody answers this machine at ${
        silent.map(({ name, silentAt }) => `${silentAt} (${name})`).join(", ")
      }`,
      "Open PORT between the nodes in their firewalls, or correct NODE_URL there. Their streams cannot be watched here.",
    );
  }
  const strange = others.filter(({ beat }) => !canAsk(beat));
  if (strange.length > 0) {
    const texts = strange.map(({ name, beat }) => `${name} (${beat.version})`).join(", ");
    return problem(
      `${texts} and this machine (${VERSION}) cannot ask each other: their versions are too far apart`,
      "Upgrade the older ones. All streams go on meanwhile.",
    );
  }
  const older = others.filter(({ beat }) => beat.version !== VERSION);
  const versions = older.map(({ name, beat }) => `${name} has ${beat.version}`);
  const says = `${own} is reached at ${url}; other nodes: ${
    others.map(({ name }) => name).join(", ") || "none"
  }`;
  if (older.length === 0) return ok(says);
  return warning(
    `${says}; ${versions.join(", ")}, here it is ${VERSION}`,
    "Upgrade them one after the other.",
  );
}
