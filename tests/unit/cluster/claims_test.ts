/** Which node has which stream: each rule, in virtual time. What happens by chance is claims_chance_test.ts. */
import { strict as assert } from "node:assert";
import type { StreamId } from "../../../lib/model/id.ts";
import { firstSequence } from "../../../lib/model/segments.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { PretendedCluster, Viewer } from "../../support/pretended_nodes.ts";

const half = () => 0.5;

/** Runs a test with nodes that have room for so many streams each, and these streams on the air. */
function clusterTest(
  name: string,
  rooms: number[],
  streams: string[],
  test: (cluster: PretendedCluster) => Promise<void>,
  segmentSeconds = 1,
): void {
  Deno.test(name, async () => {
    using clock = new FakeClock();
    await using cluster = await PretendedCluster.make(clock, rooms, half);
    cluster.segmentSeconds = segmentSeconds;
    await cluster.pass(3);
    for (const id of streams) assert.ok(await cluster.nodes[0].want(id, "running"));
    cluster.viewers.push(...streams.map((id) => new Viewer(id as StreamId)));
    await cluster.pass(30);
    assert.deepEqual(cluster.problems(), []);
    for (const viewer of cluster.viewers) viewer.mostSilent = 0;
    await test(cluster);
  });
}

const counts = ({ nodes }: PretendedCluster) => nodes.map(({ own }) => [...own.ids()].length);
const silence = ({ viewers }: PretendedCluster) => Math.max(...viewers.map(({ mostSilent }) => mostSilent));

clusterTest(
  "free streams go to the nodes with most room",
  [8, 8, 2],
  ["a", "b", "c", "d", "e", "f"],
  (cluster) => {
    const [one, other, small] = counts(cluster);
    assert.ok(one >= 2 && other >= 2 && small <= 2, String(counts(cluster)));
    return Promise.resolve();
  },
);

clusterTest("a node starts three streams at once, and no more", [20], [], async (cluster) => {
  const [node] = cluster.nodes;
  const ids = ["a", "b", "c", "d", "e", "f", "g", "h"] as StreamId[];
  for (const id of ids) await node.want(id, "running");
  let most = 0;
  for (let second = 0; second < 60; second++) {
    await cluster.pass(1);
    const starting = [...node.own.ids()].filter((id) => node.own.sequence(id) === null);
    most = Math.max(most, starting.length);
  }
  assert.deepEqual([most, counts(cluster), cluster.problems()], [3, [8], []]);
});

clusterTest(
  "a stream that no node has room for waits, and starts when there is room",
  [1, 1],
  ["a", "b"],
  async (cluster) => {
    await cluster.nodes[1].want("c", "running");
    await cluster.pass(30);
    assert.deepEqual(cluster.runners("c"), []);
    const { keeper } = cluster.nodes[0];
    assert.ok(keeper!.isFree("c" as StreamId));
    const seconds = (id: string) => Math.round(keeper!.freeMs(id as StreamId) / 1000);
    assert.deepEqual([seconds("a"), seconds("d")], [0, 0]);
    assert.ok(seconds("c") >= 28 && seconds("c") <= 30, `free for ${seconds("c")} s`);
    cluster.nodes[0].isCutOff = true;
    await cluster.pass(10);
    assert.equal(seconds("c"), 0, "a node that is cut off does not know whether another node runs it");
    cluster.nodes[0].isCutOff = false;
    await cluster.pass(5);
    await cluster.nodes[0].want("a", "stopped");
    await cluster.pass(15);
    assert.equal(cluster.runners("c").length, 1);
    assert.equal(seconds("c"), 0);
    assert.deepEqual(cluster.problems(), []);
  },
);

clusterTest(
  "a node is lost: others have its streams within 20 s",
  [9, 9, 9],
  ["a", "b", "c", "d", "e"],
  async (cluster) => {
    cluster.nodes[0].kill();
    await cluster.pass(30);
    assert.deepEqual(cluster.problems(), []);
    assert.ok(silence(cluster) <= 20, `${silence(cluster)} s`);
  },
);

clusterTest(
  "a node is stopped: others have its streams sooner than those of one that is lost",
  [9, 9, 9],
  ["a", "b", "c", "d", "e"],
  async (cluster) => {
    await cluster.nodes[0].leave();
    await cluster.pass(30);
    assert.deepEqual(cluster.problems(), []);
    assert.ok(silence(cluster) > 0 && silence(cluster) <= 10, `${silence(cluster)} s`);
  },
);

clusterTest(
  "a node that is back before it counts as lost keeps its streams",
  [9, 9],
  ["a", "b", "c", "d"],
  async (cluster) => {
    const had = [...cluster.nodes[0].own.ids()];
    cluster.nodes[0].kill();
    await cluster.pass(2);
    cluster.nodes[0].start();
    await cluster.pass(20);
    assert.deepEqual([...cluster.nodes[0].own.ids()], had);
    assert.deepEqual(cluster.problems(), []);
  },
);

clusterTest("all of NATS is away for ten minutes: nothing starts, stops or moves", [9, 9, 9], [
  "a",
  "b",
  "c",
  "d",
], async (cluster) => {
  const before = cluster.nodes.map(({ own }) => [...own.ids()]);
  cluster.isAway = true;
  await cluster.pass(600);
  assert.equal(await cluster.nodes[0].want("e", "running"), false, "a change is refused");
  assert.deepEqual(cluster.nodes.map(({ own }) => [...own.ids()]), before);
  cluster.isAway = false;
  await cluster.pass(30);
  assert.deepEqual(cluster.nodes.map(({ own }) => [...own.ids()]), before);
  assert.deepEqual([cluster.problems(), silence(cluster)], [[], 0]);
});

clusterTest("a node that is cut off goes on, and ends what others have when it hears them again", [9, 9], [
  "a",
  "b",
  "c",
], async (cluster) => {
  const [cut, other] = cluster.nodes;
  const had = [...cut.own.ids()];
  assert.ok(had.length > 0);
  cut.isCutOff = true;
  await cluster.pass(40);
  assert.deepEqual([...cut.own.ids()], had, "it goes on");
  assert.equal([...other.own.ids()].length, 3, "two copies run");
  cut.isCutOff = false;
  await cluster.pass(5);
  assert.deepEqual([cluster.problems(), counts(cluster)], [[], [0, 3]]);
});

clusterTest(
  "a node that hears and is not heard goes on, sends viewers to who has its streams by then, and ends them",
  [
    9,
    9,
  ],
  ["a", "b", "c"],
  async (cluster) => {
    const [mute, other] = cluster.nodes;
    const had = [...mute.own.ids()];
    cluster.viewers.push(...had.map((id) => new Viewer(id, mute)));
    mute.down = "out";
    await cluster.pass(40);
    assert.deepEqual([[...mute.own.ids()], counts(cluster)[1]], [had, 3], "two copies run");
    for (const id of had) assert.equal(mute.origin(id), other.name);
    mute.down = null;
    await cluster.pass(5);
    assert.deepEqual([cluster.problems(), counts(cluster)], [[], [0, 3]]);
  },
);

clusterTest("a node that is heard and does not hear goes on, and starts nothing", [9, 9, 9], [
  "a",
  "b",
  "c",
], async (cluster) => {
  const [deaf, other] = cluster.nodes;
  const had = [...deaf.own.ids()];
  deaf.down = "in";
  await cluster.pass(6);
  assert.ok(await other.want("d", "running"));
  await cluster.pass(60);
  assert.deepEqual([...deaf.own.ids()], had);
  assert.equal(cluster.runners("d").length, 1);
  deaf.down = null;
  await cluster.pass(30);
  assert.deepEqual(cluster.problems(), []);
});

clusterTest(
  "NATS takes what is written and answers nobody for ten seconds, as when its leader hangs: nothing stops or moves",
  [
    9,
    9,
    9,
  ],
  ["a", "b", "c", "d"],
  async (cluster) => {
    const before = cluster.nodes.map(({ own }) => [...own.ids()]);
    for (const node of cluster.nodes) node.down = "in";
    await cluster.pass(1);
    assert.equal(await cluster.nodes[0].want("e", "running"), false, "whether it is kept is not known");
    await cluster.pass(9);
    assert.deepEqual(cluster.nodes.map(({ own }) => [...own.ids()]), before);
    for (const node of cluster.nodes) node.down = null;
    await cluster.pass(40);
    for (const [at, { own }] of cluster.nodes.entries()) {
      for (const id of before[at]) assert.ok(own.has(id), `${id} is where it was`);
    }
    assert.deepEqual(
      [cluster.runners("e").length, cluster.problems(), silence(cluster)],
      [1, [], 0],
      "it was kept",
    );
  },
);

clusterTest(
  "a claim that is known late, since its answer was lost, goes on behind the last owner's numbers",
  [9, 9],
  [
    "a",
  ],
  async (cluster) => {
    const id = "a" as StreamId;
    const cut = cluster.nodes.find(({ own }) => own.has(id))!;
    const next = cluster.nodes.find((node) => node !== cut)!;
    cluster.viewers.push(new Viewer(id, cut));
    cut.isCutOff = true;
    await cluster.pass(7);
    next.down = "in";
    await until(cluster, () => cluster.newestClaim(id)?.node === next.name || null);
    await cluster.pass(3);
    next.down = null;
    await until(cluster, () => next.own.sequence(id));
    cut.isCutOff = false;
    await cluster.pass(5);
    assert.deepEqual([cluster.runners(id), cluster.problems()], [[next.name], []]);
  },
);

clusterTest("a drained node hands its streams over without a second of silence", [9, 9], [
  "a",
  "b",
  "c",
  "d",
  "e",
], async (cluster) => {
  cluster.nodes[0].keeper!.isDraining = true;
  await cluster.pass(60);
  assert.deepEqual([cluster.problems(), counts(cluster), silence(cluster)], [[], [0, 5], 0]);
  await cluster.nodes[1].want("f", "running");
  await cluster.pass(20);
  assert.deepEqual(counts(cluster), [0, 6], "it claims nothing more");
});

clusterTest("a drained node keeps what nobody has room for", [9, 1], ["a", "b", "c"], async (cluster) => {
  cluster.nodes[0].keeper!.isDraining = true;
  await cluster.pass(60);
  assert.deepEqual([cluster.problems(), counts(cluster), silence(cluster)], [[], [2, 1], 0]);
});

clusterTest(
  "a node that is too full gives one stream a minute away",
  [9, 9],
  ["a", "b", "c", "d", "e", "f"],
  async (cluster) => {
    const [full, other] = cluster.nodes;
    const [first, second] = full.own.ids();
    full.excess = first;
    await cluster.pass(30);
    assert.ok(other.own.has(first) && !full.own.has(first));
    full.excess = second;
    await cluster.pass(20);
    assert.ok(full.own.has(second), "within the same minute");
    await cluster.pass(40);
    assert.ok(other.own.has(second));
    assert.deepEqual([cluster.problems(), silence(cluster)], [[], 0]);
  },
);

clusterTest("a node that is full no more keeps what it offered", [9, 2], ["a", "b", "c"], async (cluster) => {
  const [full, other] = cluster.nodes;
  other.most = [...other.own.ids()].length;
  const [first] = full.own.ids();
  full.excess = first;
  await cluster.pass(10);
  assert.equal(cluster.newestClaim(first)!.state, "offered");
  full.excess = null;
  await cluster.pass(3);
  assert.equal(cluster.newestClaim(first)!.state, "ready");
  assert.deepEqual(cluster.problems(), []);
});

clusterTest(
  "a stream that is stopped ends, and starts where it was",
  [9, 9],
  ["a", "b", "c"],
  async (cluster) => {
    const [had] = cluster.runners("b");
    for (const _ of [1, 2, 3]) {
      await cluster.nodes[1].want("b", "stopped");
      await cluster.pass(5);
      assert.deepEqual(cluster.runners("b"), []);
      await cluster.nodes[0].want("b", "running");
      await cluster.pass(15);
      assert.deepEqual(cluster.runners("b"), [had]);
    }
  },
);

clusterTest(
  "a node that starts without NATS runs what it had",
  [9, 9],
  ["a", "b", "c", "d"],
  async (cluster) => {
    const [node] = cluster.nodes;
    const had = [...node.own.ids()];
    node.kill();
    cluster.isAway = true;
    await cluster.pass(3);
    node.start();
    await cluster.pass(60);
    assert.deepEqual([...node.own.ids()], had);
    cluster.isAway = false;
    await cluster.pass(40);
    assert.deepEqual(cluster.problems(), []);
  },
);

clusterTest(
  "numbers of a service that was ahead of the cluster's clock go on behind them",
  [9, 9],
  ["a"],
  async (cluster) => {
    const [one, other] = cluster.nodes;
    one.own.take("lone" as StreamId, firstSequence(cluster.now()) + 3600, null);
    cluster.viewers.push(new Viewer("lone" as StreamId));
    await one.want("lone", "running");
    await cluster.pass(20);
    assert.deepEqual(cluster.runners("lone"), ["n0"], "who has it claims it first");
    const before = one.own.sequence("lone" as StreamId)!;
    one.kill();
    await cluster.pass(30);
    const after = other.own.sequence("lone" as StreamId)!;
    assert.ok(after >= before + 20 && after < before + 60, `${before}, then ${after}`);
  },
);

clusterTest("numbers of an owner that was lost before it said a word are not given again", [9, 9, 9], [
  "a",
  "b",
], async (cluster) => {
  const [had] = cluster.runners("a");
  const cut = cluster.nodes.find(({ name }) => name === had)!;
  cut.isCutOff = true;
  const next = await until(
    cluster,
    () => cluster.nodes.find((node) => node !== cut && node.own.has("a" as StreamId)),
  );
  cluster.viewers.push(
    new Viewer("a" as StreamId, cluster.nodes.find((node) => node !== cut && node !== next)),
  );
  for (const node of cluster.nodes) node.most = 0;
  next.isCutOff = true; // it says to nobody that its channel has begun
  await until(cluster, () => next.own.sequence("a" as StreamId));
  await cluster.pass(2);
  next.kill();
  cut.isCutOff = false;
  cut.most = 9;
  await cluster.pass(40);
  assert.deepEqual(cluster.runners("a"), [had]);
});

clusterTest(
  "a channel of long segments, whose numbers fall behind the clock, never goes back after another node had it",
  [9, 9, 9],
  ["a"],
  async (cluster) => {
    const id = "a" as StreamId;
    const [had] = cluster.runners(id);
    const cut = cluster.nodes.find(({ name }) => name === had)!;
    await cluster.pass(600);
    cut.isCutOff = true;
    const next = await until(
      cluster,
      () => cluster.nodes.find((node) => node !== cut && node.own.sequence(id) !== null),
    );
    cluster.viewers.push(new Viewer(id, cluster.nodes.find((node) => node !== cut && node !== next)));
    await cluster.pass(3);
    for (const node of cluster.nodes) node.most = 0;
    next.kill();
    cut.isCutOff = false;
    cut.most = 9;
    await cluster.pass(60);
    assert.deepEqual(cluster.runners(id), [had]);
  },
  4,
);

/** The first value of a look once a second. */
async function until<Value>(cluster: PretendedCluster, look: () => Value | null | undefined): Promise<Value> {
  for (let second = 0; second < 60; second++) {
    const value = look();
    if (value !== null && value !== undefined) return value;
    await cluster.pass(1);
  }
  throw new Error("it was not so within a minute");
}

Deno.test("viewers are sent to the newest owner whose channel has begun, and never back to one before", async () => {
  using clock = new FakeClock();
  const cluster = await PretendedCluster.make(clock, [9, 9, 9], half);
  for (const node of cluster.nodes) node.most = 0;
  await cluster.pass(3);
  await cluster.nodes[2].want("a", "running");
  const owners = cluster.buckets.owners.view();
  const claim = async (term: number, node: string, state: string) => {
    await owners.put(`a.${term}`, JSON.stringify({ term, node, state, sequence: 1 }), 0);
    await cluster.pass(0);
    await clock.advance(1);
    return cluster.nodes[2].origin("a" as StreamId);
  };
  assert.equal(cluster.nodes[2].origin("a" as StreamId), null);
  assert.equal(await claim(1, "n0", "starting"), "n0", "nobody else has it");
  assert.equal(await claim(2, "n1", "ready"), "n1");
  assert.equal(await claim(3, "n0", "starting"), "n1", "until the new one has begun");
  cluster.nodes[1].kill();
  await cluster.pass(10);
  assert.equal(cluster.nodes[2].origin("a" as StreamId), "n0");
  cluster.nodes[0].kill();
  await cluster.pass(10);
  assert.equal(cluster.nodes[2].origin("a" as StreamId), null);
  assert.equal(await claim(4, "n2", "ready"), "n2");
  assert.equal(await claim(5, "nobody heard", "ready"), null, "the numbers of n2 are lower");
  await cluster[Symbol.asyncDispose]();
});
