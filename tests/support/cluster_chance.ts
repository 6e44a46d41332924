/** A cluster to which things happen by chance, and what must hold whatever happens. */
import { strict as assert } from "node:assert";
import type { StreamId } from "../../lib/model/id.ts";
import { FakeClock } from "./fake_clock.ts";
import { PretendedCluster, type PretendedNode, Viewer } from "./pretended_nodes.ts";

/** Seconds after which everything is as it should be, once nothing more happens: a lost node's streams start three at a time. */
const QUIET = 60;

const WELL = { isSlow: false, isCutOff: false, down: null } as const;

/** Numbers from 0 to 1: the same for the same seed. Source: mulberry32. */
function chance(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface Told {
  faults: number;
  /** Faults of each kind. */
  kinds: Record<string, number>;
  /** Seconds of virtual time. */
  seconds: number;
}

/**
 * Lets faults happen to a cluster of 3 to 40 nodes, some at once, then nothing until all must be well again.
 * @param faults at least so many. @throws {AssertionError} with the seed.
 */
export async function happen(seed: number, faults: number): Promise<Told> {
  try {
    return await run(seed, faults);
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
  }
}

async function run(seed: number, faults: number): Promise<Told> {
  using clock = new FakeClock();
  const random = chance(seed);
  const below = (most: number) => Math.floor(random() * most);
  const size = 3 + Math.floor(random() ** 3 * 38);
  const streams = Math.min(60, 2 * size);
  // room for all streams, though a third of the nodes is lost
  const most = Math.ceil((1.6 * streams) / size) + 1;
  await using cluster = await PretendedCluster.make(clock, Array(size).fill(most), random);
  cluster.segmentSeconds = 1 + below(4);
  await cluster.pass(2);
  /** What the cluster has said that it keeps. */
  const kept = new Map<string, "running" | "stopped">();
  const any = (is: (node: PretendedNode) => boolean): PretendedNode | undefined => {
    const those = cluster.nodes.filter(is);
    return those[below(those.length)];
  };
  const want = async (id: string, state: "running" | "stopped" | null) => {
    // of what it does not hear of, a node cannot say whether it is kept
    const node = any(({ list, isSlow, down }) => list !== null && !isSlow && down !== "in");
    const changing = node?.want(id, state);
    await cluster.pass(3);
    if (!changing) return;
    // what was not answered may be kept nevertheless
    if (!await changing) state = cluster.stateOf(id);
    if (state === null) kept.delete(id);
    else kept.set(id, state);
    if (state === "running" && !cluster.viewers.some((viewer) => viewer.id === id)) {
      cluster.viewers.push(new Viewer(id as StreamId));
    }
  };
  for (let at = 0; at < streams; at++) await want(`s${at}`, "running");

  const isWell = ({ isUp, isSlow, isCutOff, down }: PretendedNode) => isUp && !isSlow && !isCutOff && !down;
  const wellEnough = () => cluster.nodes.filter(isWell).length > (2 * size) / 3;
  const kinds: Record<string, () => Promise<void> | void> = {
    dies: () => wellEnough() ? any(isWell)?.kill() : undefined,
    "comes back": () => any(({ isUp }) => !isUp)?.start(),
    "is slow": () => {
      const node = wellEnough() ? any(isWell) : undefined;
      if (node) node.isSlow = true;
    },
    "is cut off": () => {
      const node = wellEnough() ? any(isWell) : undefined;
      if (node) node.isCutOff = true;
    },
    "has half a link": () => {
      const node = wellEnough() ? any(isWell) : undefined;
      if (node) node.down = random() < 0.5 ? "in" : "out";
    },
    "NATS takes what it does not answer": async () => {
      // as while its leader hangs: who has written does not know whether it is kept
      const those = cluster.nodes.filter(isWell);
      for (const node of those) node.down = "in";
      await cluster.pass(1 + below(6));
      for (const node of those) node.down = null;
    },
    "is all right": () => {
      const node = any(({ isSlow, isCutOff, down }) => isSlow || isCutOff || down !== null);
      if (node) Object.assign(node, WELL);
    },
    "has its clock set": () => {
      const node = any(({ isUp }) => isUp);
      if (node) node.clockOff += (random() - 0.5) * 7_200_000;
    },
    "NATS is away or back": () => {
      cluster.isAway = !cluster.isAway;
    },
    drains: () => {
      const node = wellEnough() ? any((node) => isWell(node) && node.keeper !== null) : undefined;
      if (node) node.keeper!.isDraining = true;
    },
    "drains no more": () => {
      for (const { keeper } of cluster.nodes) if (keeper) keeper.isDraining = false;
    },
    "has too much": () => {
      const node = any(isWell);
      if (node) node.excess = [...node.own.ids()][0] ?? null;
    },
    "a stream is stopped": () => want(`s${below(streams)}`, "stopped"),
    "a stream is started": () => want(`s${below(streams)}`, "running"),
    "a stream is removed": () => want(`s${below(streams)}`, null),
  };
  const names = Object.keys(kinds);
  const told: Told = { faults: 0, kinds: {}, seconds: 0 };
  const said: string[] = [];
  while (told.faults < faults) {
    said.length = 0;
    for (let at = below(8); at >= 0; at--) {
      const name = names[below(names.length)];
      said.push(name);
      await kinds[name]();
      told.faults++;
      told.kinds[name] = (told.kinds[name] ?? 0) + 1;
      await cluster.pass(below(15));
    }
    cluster.isAway = false;
    for (const node of cluster.nodes) {
      Object.assign(node, WELL);
      node.excess = null;
      if (node.keeper) node.keeper.isDraining = false;
      if (!node.isUp && !wellEnough()) node.start();
    }
    await cluster.pass(QUIET);
    assert.deepEqual(cluster.problems(), [], said.join(", "));
    for (const node of cluster.nodes.filter(isWell)) {
      const listed = node.list!.list().map(({ id, desiredState }) => [id, desiredState] as const);
      assert.deepEqual(
        new Map(listed.toSorted()),
        new Map([...kept].toSorted()),
        `${node.name}: ${said.join(", ")}`,
      );
    }
  }
  told.seconds = Math.round(performance.now() / 1000);
  return told;
}
