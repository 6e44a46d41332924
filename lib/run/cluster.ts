/**
 * `cluster init`: founds the cluster that the configuration names. `cluster status`: the nodes, and what each has. `cluster
 * drain`: gives this machine's streams to the others, and ends when they have them; `cluster resume`: takes streams again.
 */
import { AwayError, ConflictError, OtherClusterError, type Shared } from "../cluster/buckets.ts";
import { Claims } from "../cluster/claims.ts";
import { ClusterList } from "../cluster/cluster_list.ts";
import { DRAINING, setDraining } from "../cluster/draining.ts";
import { SharedTexts } from "../cluster/shared_texts.ts";
import { Nodes } from "../cluster/nodes.ts";
import { type Config, exampleOf } from "../config.ts";
import type { Stream } from "../model/schema.ts";
import { nodeName, openCluster } from "../cluster/membership.ts";
import { readOrNull } from "../machine/os/files.ts";
import { pathsOf } from "../paths.ts";
import { changeText, SHARED } from "../store/shared_text.ts";
import { FileStreamStore } from "../store/file_streams.ts";
import { printable } from "../machine/tools/log.ts";
import { sleep } from "../machine/tools/time.ts";
import { CommandError } from "./command_error.ts";
import type { Words } from "./command/words.ts";
import { becomeDataOwner } from "./web_user.ts";

const COMMANDS = { init, status, drain, resume };

/** Milliseconds between two looks at the streams that a drained machine still has. */
const LOOK_MS = 500;

/** Gives the exit code. @throws {CommandError | ConfigError | StreamFileError} */
export async function cluster(config: Config, words: Words): Promise<number> {
  const [, name] = words.name.split(" ");
  if (config.CLUSTER.length === 0) {
    throw new CommandError(`CLUSTER is not set. Example: ${exampleOf("CLUSTER")} (docs/cluster.md)`);
  }
  const leaving = new AbortController();
  let shared: Shared | undefined;
  try {
    shared = await openCluster(config, name === "init");
    return await COMMANDS[name as keyof typeof COMMANDS](config, shared, leaving.signal);
  } catch (error) {
    if (error instanceof AwayError) {
      throw new CommandError(
        `The cluster's servers cannot be used: ${error.message}. Is JetStream on, and does CLUSTER name all of them?`,
      );
    }
    if (error instanceof OtherClusterError) {
      throw new CommandError(`There is no cluster "${config.CLUSTER_NAME}" yet: ${error.message}.`);
    }
    throw error;
  } finally {
    leaving.abort();
    await shared?.close?.();
  }
}

/** The data that a machine brings to its cluster from its time alone, read with the rights of the files' owner. */
export async function ownData(
  given: Config,
): Promise<{ streams: readonly Stream[]; texts: Record<string, string | null> }> {
  const paths = pathsOf(await becomeDataOwner(given));
  return {
    streams: (await FileStreamStore.open(paths.streamsFile)).list(),
    texts: {
      [SHARED.tokens]: await readOrNull(paths.accessTokensFile),
      [SHARED.walls]: await readOrNull(paths.wallsFile),
      [SHARED.users]: await readOrNull(paths.usersFile),
      [SHARED.receivers]: await readOrNull(paths.receiversFile),
    },
  };
}

async function init(config: Config, { buckets }: Shared, signal: AbortSignal): Promise<number> {
  const { streams, texts: own } = await ownData(config);
  const texts = await SharedTexts.open(buckets.texts, signal);
  const fill = async () => {
    for (const [key, text] of Object.entries(own)) await changeText(texts.of(key), () => text);
  };
  try {
    await ClusterList.found(buckets.streams, config.CLUSTER_NAME, Date.now(), streams, fill);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    throw new CommandError(
      `The cluster "${config.CLUSTER_NAME}" exists already. Nothing was changed. This machine joins it with the next\n` +
        "start, if it has the same secret. As many servers as CLUSTER names now keep each record, three at most.",
    );
  }
  console.log(
    `The cluster "${config.CLUSTER_NAME}" is created, with ${countText(streams.length)} of this machine.\n` +
      "Start the service here and on the other nodes, each with the same CLUSTER, CLUSTER_NAME and secret.",
  );
  return 0;
}

const countText = (streams: number) => streams === 1 ? "1 stream" : `${streams} streams`;

/** How many streams a node has: a stream that another node starts is this one's until its channel has begun there. */
function countOf(list: ClusterList, claims: Claims, node: string): number {
  return list.list().filter(({ id, desiredState }) =>
    desiredState === "running" && claims.onAir(id)?.node === node
  ).length;
}

/** Resolves when this machine has no stream, or DRAIN_SECONDS are over: the others start three at a time. */
export async function drain(
  config: Config,
  { buckets }: Pick<Shared, "buckets">,
  signal: AbortSignal,
): Promise<number> {
  const node = nodeName(config);
  const list = await ClusterList.open(buckets.streams, config.CLUSTER_NAME, signal);
  const claims = await Claims.open(buckets.owners, () => performance.now(), signal);
  const texts = await SharedTexts.open(buckets.texts, signal);
  await setDraining(texts.of(DRAINING), node, true);
  let last = -1;
  const end = performance.now() + config.DRAIN_SECONDS * 1000;
  for (; performance.now() < end; await sleep(LOOK_MS, signal)) {
    const count = countOf(list, claims, node);
    if (count !== last) console.log(`${node}: ${countText(count)} left`);
    if (count === 0) return 0;
    last = count;
  }
  const left = countText(last);
  console.error(
    `${node} still has ${left} after DRAIN_SECONDS=${config.DRAIN_SECONDS}: no other node has room for them, or ${node}\n` +
      "does not run. It keeps trying until browser-stream cluster resume.",
  );
  return 1;
}

async function resume(config: Config, { buckets }: Shared, signal: AbortSignal): Promise<number> {
  const texts = await SharedTexts.open(buckets.texts, signal);
  await setDraining(texts.of(DRAINING), nodeName(config), false);
  console.log(`${nodeName(config)} takes streams again.`);
  return 0;
}

async function status(config: Config, { buckets }: Shared, signal: AbortSignal): Promise<number> {
  const elapsed = () => performance.now();
  const list = await ClusterList.open(buckets.streams, config.CLUSTER_NAME, signal);
  const claims = await Claims.open(buckets.owners, elapsed, signal);
  const nodes = await Nodes.open(buckets.nodes, { name: "", run: "" }, elapsed, signal);
  const wanted = list.list().filter(({ desiredState }) => desiredState === "running");
  console.log(`${config.CLUSTER_NAME}: ${countText(list.list().length)}, ${wanted.length} of them to run\n`);
  const here = nodeName(config);
  for (const { name, beat } of nodes.list()) {
    const has = countOf(list, claims, name);
    console.log(printable(
      `${name}${name === here ? " (this machine)" : ""}: ${countText(has)}, ${
        Math.round(beat.room * 100)
      } % free` +
        `${beat.isDraining ? ", draining" : ""}, ${beat.version}, ${beat.address}`,
    ));
  }
  if (nodes.list().length === 0) console.log("No node runs.");
  return 0;
}
