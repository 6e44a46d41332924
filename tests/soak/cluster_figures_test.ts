/**
 * The figures of a cluster, with real NATS servers and real nodes, in one table at the end (docs/cluster.md has it).
 *
 *     deno task test tests/soak/cluster_figures_test.ts
 *
 * On a machine that does nothing else. `FIGURES_LENGTH=0.2` takes a fifth of the time, to see whether it runs: nothing is
 * judged then.
 */
import { strict as assert } from "node:assert";
import { median, percentile } from "../../bench/figures.ts";
import { cpu } from "../../bench/processes.ts";
import type { Shared } from "../../lib/cluster/buckets.ts";
import { Claims } from "../../lib/cluster/claims.ts";
import { ClusterList } from "../../lib/cluster/cluster_list.ts";
import { DRAINING, setDraining } from "../../lib/cluster/draining.ts";
import { connectNats, openShared } from "../../lib/cluster/nats.ts";
import { BEAT_MS } from "../../lib/cluster/nodes.ts";
import { clusterKey } from "../../lib/cluster/sealed_bucket.ts";
import { SharedTexts } from "../../lib/cluster/shared_texts.ts";
import type { StreamStatus } from "../../lib/model/answers/shapes.ts";
import { PIPELINE_PROGRAMS } from "../../lib/model/programs.ts";
import { SPOKEN } from "../../lib/cluster/protocol.ts";
import { ClusterStreams } from "../../lib/cluster/cluster_streams.ts";
import { NodeNews, ToldStates } from "../../lib/cluster/node_news.ts";
import { kill, processesOfRun } from "../../lib/os/orphans.ts";
import { Loop, sleep } from "../../lib/system/time.ts";
import { VERSION } from "../../lib/system/version.ts";
import { aStream } from "../support/fixture.ts";
import { ownMiB } from "../support/memory.ts";
import { hasBrowser, newest, type NodeCluster, nodeCluster } from "../support/node_cluster.ts";
import { procFile } from "../support/proc.ts";
import { SMALL, startService, type TestService } from "../support/service.ts";
import { pause, within } from "../support/within.ts";

const LENGTH = Number(Deno.env.get("FIGURES_LENGTH") || 1);
const IS_WHOLE = LENGTH === 1;
/** How many of those that a whole run takes; at least one. */
const some = (whole: number) => Math.max(1, Math.round(whole * LENGTH));

const STREAMS = 3;
const LOSSES = some(5);
/** NATS is away for a minute here; the design says ten. */
const AWAY_MS = some(60) * 1000;
const WATCH_MS = some(60) * 1000;
const SETTLE_MS = some(20) * 1000;
/** For whatever has to happen at all. */
const PATIENCE_MS = 120_000;
/** Milliseconds between two looks at a playlist. */
const LOOK_MS = 100;
/** A segment of a second that is not there after so long is late: players have buffered as much. */
const LATE_SECONDS = 4;

interface Figure {
  what: string;
  seen: string;
  toReach: string;
}
const figures: Figure[] = [];

/** @param isReached judged in a whole run alone. */
function tell(what: string, seen: string, toReach = "", isReached = true): void {
  figures.push({ what, seen, toReach });
  console.log(`${what}: ${seen}${toReach && ` (to reach: ${toReach})`}`);
  if (IS_WHOLE) assert.ok(isReached, `${what}: ${seen}, to reach: ${toReach}`);
}

Deno.test.afterAll(() => {
  const [, model = "unknown"] = /^model name\s+: (.+)$/m.exec(Deno.readTextFileSync("/proc/cpuinfo")) ?? [];
  const memory = Math.round(Deno.systemMemoryInfo().total / 2 ** 30);
  console.log(
    `\n${navigator.hardwareConcurrency} cores (${model}), ${memory} GiB, Deno ${Deno.version.deno}, ` +
      `${new Date().toISOString().slice(0, 10)}, load ${Deno.loadavg()[0].toFixed(1)}` +
      `${IS_WHOLE ? "" : `, ${LENGTH} of a whole run`}\n`,
  );
  console.log("| Figure | Measured | To reach |\n| --- | --- | --- |");
  for (const { what, seen, toReach } of figures) console.log(`| ${what} | ${seen} | ${toReach} |`);
});

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** Adds streams that run at some node. @returns their ids. */
async function withStreams(nodes: readonly TestService[]): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < STREAMS; at++) {
    await within("the cluster to take a stream", PATIENCE_MS, async () => {
      const { pageUrl: url } = nodes[0];
      const answer = await nodes[0].api("POST", "/api/streams", { name: `Clock ${at}`, url, ...SMALL });
      if (answer.status === 201) ids.push((await answer.json()).id);
      return answer.status === 201;
    });
  }
  for (const id of ids) {
    for (const node of nodes) {
      await within(`${id} at ${node.url}`, PATIENCE_MS, async () => await newest(node, id));
    }
  }
  return ids;
}

async function killNode(node: TestService): Promise<void> {
  for (const pid of [node.pid, ...processesOfRun(node.runDir)]) kill(pid, "SIGKILL");
  await within("the node to be gone", PATIENCE_MS, () => processesOfRun(node.runDir).length === 0);
}

Deno.test("a node is lost: how soon its streams' next segments are at another", async () => {
  await using cluster = await nodeCluster(["wall-a", "wall-b"]);
  assert.equal((await cluster.run("init", "wall-a")).code, 0);
  let nodes = [await cluster.start("wall-a"), await cluster.start("wall-b")];
  const ids = await withStreams(nodes);
  const took: number[] = [];
  for (let loss = 0; loss < LOSSES; loss++) {
    await pause(SETTLE_MS);
    const statuses = await (await nodes[0].api("GET", "/api/streams/statuses")).json();
    const [lost, other] = nodes.toSorted((a, b) => Number(hasBrowser(b)) - Number(hasBrowser(a)));
    const its = ids.filter((id) => statuses[id].node === lost.env.NODE_NAME);
    assert.ok(its.length > 0);
    const before = new Map<string, number>();
    for (const id of its) before.set(id, (await newest(lost, id))!);
    const from = performance.now();
    await killNode(lost);
    await Promise.all(its.map(async (id) => {
      const isOn = async () => (await newest(other, id).catch(() => null) ?? 0) > before.get(id)! + 1;
      await within(`the next segment of ${id}`, PATIENCE_MS, isOn, LOOK_MS);
      took.push(performance.now() - from);
    }));
    nodes = [other, await cluster.start(lost.env.NODE_NAME)];
    for (const id of ids) {
      for (const node of nodes) await within(`${id} at all`, PATIENCE_MS, async () => await newest(node, id));
    }
  }
  const [middle, most] = [median(took), Math.max(...took)];
  const what = `A node is lost: the next segment at another (${LOSSES} losses, ${took.length} streams)`;
  tell(
    what,
    `median ${seconds(middle)}, most ${seconds(most)}`,
    "median 20 s, all 30 s",
    middle <= 20_000 && most <= 30_000,
  );
});

/** Watches channels at nodes. @returns ends it, and gives the longest pause between two segments, in ms. */
function watching(nodes: readonly TestService[], ids: readonly string[]): () => Promise<number> {
  let isOver = false;
  let longest = 0;
  const all = nodes.flatMap((node) =>
    ids.map(async (id) => {
      let [last, at] = [await newest(node, id) ?? 0, performance.now()];
      while (!isOver) {
        await pause(LOOK_MS);
        const number = await newest(node, id).catch(() => null) ?? 0;
        longest = Math.max(longest, performance.now() - at);
        if (number > last) [last, at] = [number, performance.now()];
      }
    })
  );
  return async () => {
    isOver = true;
    await Promise.all(all);
    return longest;
  };
}

/** Milliseconds until a change of the list is taken. */
async function untilChanged(node: TestService, id: string): Promise<number> {
  const from = performance.now();
  const isTaken = async () => (await node.api("PATCH", `/api/streams/${id}`, { name: `At ${from}` })).ok;
  await within("a change to be taken", PATIENCE_MS, isTaken, LOOK_MS);
  return performance.now() - from;
}

Deno.test("NATS' servers die, one after the other, and all: no segment is late", async () => {
  await using cluster = await nodeCluster(["wall-a", "wall-b"]);
  const { servers } = cluster;
  assert.equal((await cluster.run("init", "wall-a")).code, 0);
  const nodes = [await cluster.start("wall-a"), await cluster.start("wall-b")];
  const ids = await withStreams(nodes);
  await pause(SETTLE_MS);
  const longest = async (during: () => Promise<unknown>) => {
    const end = watching(nodes, ids);
    await during();
    return await end();
  };
  tell(
    "The longest pause between two segments of a second, with NATS",
    seconds(await longest(() => pause(SETTLE_MS))),
  );
  const isLate = (ms: number) => ms >= LATE_SECONDS * 1000;
  // each has it once: the leader of each bucket, and the one that a node is connected to, are among them
  const ways = [
    ["is killed", "SIGKILL", (number: number) => servers.start(number)],
    ["hangs", "SIGSTOP", (number: number) => servers.signal(number, "SIGCONT")],
  ] as const;
  for (const [what, signal, back] of ways) {
    const changes: number[] = [];
    const one = await longest(async () => {
      for (const number of servers.all) {
        await servers.signal(number, signal);
        changes.push(await untilChanged(nodes[number % 2], ids[0]));
        await back(number);
        await servers.ready();
        await pause(SETTLE_MS / 2);
      }
    });
    tell(
      `Each NATS server in turn ${what}: the longest pause`,
      `${seconds(one)}; the next change is taken after ${changes.map(seconds).join(", ")}`,
      "no segment late",
      !isLate(one),
    );
  }
  let said = "";
  let back = 0;
  const away = await longest(async () => {
    for (const number of servers.all) await servers.signal(number, "SIGKILL");
    await pause(AWAY_MS);
    const refused = await nodes[0].api("PATCH", `/api/streams/${ids[0]}`, { name: "Away" });
    said = `${refused.status} ${(await refused.json()).error.message}`;
    for (const number of servers.all) servers.start(number);
    back = await untilChanged(nodes[0], ids[0]);
    await pause(SETTLE_MS);
  });
  tell(
    `All NATS servers are away for ${AWAY_MS / 1000} s: the longest pause`,
    `${seconds(away)}; the next change is taken ${seconds(back)} after they are back`,
    "no segment late",
    !isLate(away),
  );
  assert.match(said, /^503 The cluster's store does not answer/);
});

/** The pid of a service's web app. */
const webApp = (service: TestService) => service.processes(/ serve *$/)[0];

/** How often a process's threads went to sleep by themselves: each time something woke them. */
function wakeUps(pid: number): number {
  return [...Deno.readDirSync(`/proc/${pid}/task`)].reduce((sum, { name }) => {
    const text = procFile(pid, `task/${name}/status`);
    return sum + Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(text)?.[1] ?? 0);
  }, 0);
}

/** Milliseconds from the start to the first answer. */
async function timed<Started>(start: () => Promise<Started>): Promise<[Started, number]> {
  const from = performance.now();
  return [await start(), performance.now() - from];
}

Deno.test("what a node costs beside a service that is alone", async () => {
  await using cluster = await nodeCluster(["wall-a", "wall-b"]);
  assert.equal((await cluster.run("init", "wall-a")).code, 0);
  await using things = new AsyncDisposableStack();
  const starts: number[] = [];
  for (let at = 0; at < some(5); at++) {
    const [service, ms] = await timed(() => startService());
    starts.push(ms);
    await service.stop();
  }
  const alone = await startService();
  things.defer(async () => {
    await alone.stop();
  });
  const [a, aMs] = await timed(() => cluster.start("wall-a"));
  const [b, bMs] = await timed(() => cluster.start("wall-b"));
  await pause(2 * SETTLE_MS);
  const pids = { alone: webApp(alone), a: webApp(a), b: webApp(b) };
  const wokenBefore = Object.values(pids).map(wakeUps);
  const used = await cpu(pids, WATCH_MS);
  const woken = Object.values(pids).map((pid, at) => (wakeUps(pid) - wokenBefore[at]) / WATCH_MS * 1000);
  const memory = Object.values(pids).map(ownMiB);
  const cost = Math.max(used.a, used.b) - used.alone;
  const more = Math.max(memory[1], memory[2]) - memory[0];
  tell(
    "A lone service's start, without NATS' client",
    `median ${seconds(median(starts))}; a node's ${seconds(aMs)}, ${seconds(bMs)}`,
  );
  tell(
    "A lone service's web app, no streams",
    `${used.alone.toFixed(2)} % of a core, ${memory[0].toFixed(0)} MiB, ${
      woken[0].toFixed(0)
    } wake-ups a second`,
  );
  tell(
    "A node's over that, no streams",
    `${cost.toFixed(2)} % of a core, ${more.toFixed(1)} MiB, ${
      (Math.max(woken[1], woken[2]) - woken[0]).toFixed(0)
    } wake-ups a second`,
    "1 % of a core, 20 MiB",
    cost <= 1 && more <= 20,
  );
});

const [MANY_NODES, MANY_STREAMS, BOARDS] = [40, 1000, 20];
/** Milliseconds between two questions of a board for figures; for heartbeats it is a minute. */
const FIGURES_MS = 5000;
const FIRST = "wall-0";
/** Loops of whole seconds go together in a process: those of machines do not, and neither do these. */
const OWN_MS = 1;

/** Milliseconds of an answer, by a process of its own: this one has 39 nodes and the boards, and no time to look. */
async function answerMs(url: string): Promise<number> {
  const args = ["--silent", "--fail", "--output", "/dev/null", "--write-out", "%{time_total}", url];
  const { success, stdout } = await new Deno.Command("/usr/bin/curl", { args }).output();
  assert.ok(success, url);
  return Number(new TextDecoder().decode(stdout)) * 1000;
}

/** A stream's state as its node tells it. */
function running(id: string, node: string, sinceMs: number): StreamStatus {
  const uptime = Math.round((performance.now() - sinceMs) / 1000);
  const program = (kind: string, at: number) => ({
    name: `${kind}-${id}`,
    state: "RUNNING" as const,
    pid: 1000 + at,
    uptime,
  });
  return { id, state: "running", node, programs: PIPELINE_PROGRAMS.map(program) } as unknown as StreamStatus;
}

/** What a node answers to others that ask for its streams' figures. */
const FIGURES = { cpuPercent: 12.3, mebibytes: 234.5, viewers: 1, fps: 10, push: null };

/**
 * A node in this process that speaks to the real NATS as one does: its beats, and the states of its streams. It does not hear
 * the other 38: what they would take of their own machines is no part of what is measured.
 */
function pretend(
  { name, address }: { name: string; address: string },
  ids: readonly string[],
  { buckets, news }: Shared,
  things: AsyncDisposableStack,
): void {
  const since = performance.now();
  const own = () => Promise.resolve(Object.fromEntries(ids.map((id) => [id, running(id, name, since)])));
  const elapsed = () => performance.now();
  const told = new NodeNews({
    view: { joined: { news } },
    told: new ToldStates(name, new ClusterStreams(), elapsed),
    statuses: { own },
    events: { onadded: () => {}, take: () => {}, isKnown: () => false },
    elapsed,
  });
  const [beats, rounds] = [new Loop("no beat"), new Loop("no states told")];
  let revision = 0;
  rounds.start(1000 + OWN_MS, () => told.round());
  beats.start(BEAT_MS + OWN_MS, async () => {
    const beat = {
      run: name,
      address,
      version: VERSION,
      ...SPOKEN,
      room: 0.5,
      isDraining: false,
    };
    revision = await buckets.nodes.put(name, JSON.stringify({ ...beat, now: Date.now() }), revision).catch(
      () => 0,
    );
  });
  things.defer(async () => {
    await Promise.all([beats.stop(), rounds.stop()]);
  });
}

/** Fills a cluster with nodes and streams: the first node has none, and takes none. */
async function fill(
  { servers, secret }: NodeCluster,
  name: string,
  things: AsyncDisposableStack,
): Promise<string[]> {
  const key = await clusterKey(new TextEncoder().encode(secret));
  const join = async (replicas: number | null) => {
    const connection = await connectNats(servers.at);
    things.defer(() => connection.close());
    return await openShared(connection, name, key, replicas);
  };
  const leaving = new AbortController();
  const first = await join(3);
  const ids = Array.from({ length: MANY_STREAMS }, (_, at) => `s${at}`);
  const streams = ids.map((id, order) => aStream({ id, name: id, order, desiredState: "running" }));
  await ClusterList.found(first.buckets.streams, name, Date.now(), streams);
  await setDraining((await SharedTexts.open(first.buckets.texts, leaving.signal)).of(DRAINING), FIRST, true);
  const claims = await Claims.open(first.buckets.owners, () => performance.now(), leaving.signal);
  const others = Array.from({ length: MANY_NODES - 1 }, (_, at) => `wall-${at + 1}`);
  for (const [at, stream] of streams.entries()) {
    await claims.make(stream.id, { node: others[at % others.length], state: "ready", sequence: 1 });
  }
  const idsOf = (at: number) => ids.filter((_, of) => of % others.length === at);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
    const at = Number(/\/wall-(\d+)\/api\/figures$/.exec(url)?.[1] ?? 0) - 1;
    return Response.json(Object.fromEntries(idsOf(at).map((id) => [id, FIGURES])));
  });
  things.defer(() => server.shutdown());
  for (const [at, name] of others.entries()) {
    const address = `http://127.0.0.1:${server.addr.port}/${name}`;
    pretend({ name, address }, idsOf(at), await join(null), things);
  }
  things.defer(() => leaving.abort());
  return ids;
}

Deno.test(`${MANY_NODES} nodes and ${MANY_STREAMS} streams: what a node with ${BOARDS} open boards takes`, async () => {
  const name = "many";
  await using cluster = await nodeCluster([FIRST], { env: { LOG_LEVEL: "info" } }, name);
  await using things = new AsyncDisposableStack();
  const ids = await fill(cluster, name, things);
  const node = await cluster.start(FIRST);
  await within("all streams' states", PATIENCE_MS, async () => {
    const states: Record<string, StreamStatus> = await (await node.api("GET", "/api/streams/statuses"))
      .json();
    return ids.every((id) => states[id]?.state === "running" && states[id].node !== FIRST);
  }, 1000);
  const nodes = await (await node.api("GET", "/api/nodes")).json();
  assert.equal(nodes.length, MANY_NODES);
  const leaving = new AbortController();
  const { signal } = leaving;
  const ask = async (path: string) => await (await fetch(node.url + path, { signal })).bytes();
  // as a page does that is open: components/board/card/useFigures.ts, components/board/useOverview.ts
  const bare = await cpu({ web: webApp(node) }, WATCH_MS / 2);
  tell(
    `${MANY_NODES} nodes, ${MANY_STREAMS} streams: a node without a board and without a stream`,
    `${bare.web.toFixed(1)} % of a core`,
  );
  const boards = Array.from({ length: BOARDS }, async (_, at) => {
    await sleep(at / BOARDS * FIGURES_MS, signal);
    const listening = fetch(`${node.url}/api/events`, { signal }).then(async ({ body }) => {
      for await (const _ of body!);
    });
    const polling = async () => {
      for (let round = at; !signal.aborted; round++) {
        await ask("/api/system");
        if (round % 12 === 0) await ask("/api/streams/heartbeats");
        await sleep(FIGURES_MS, signal);
      }
    };
    await Promise.all([listening, polling()]);
  });
  const closed = Promise.allSettled(boards);
  await pause(SETTLE_MS);
  const servers = { web: webApp(node), front: node.processes(/nginx: master.*front\.conf/)[0] };
  const used = await cpu(servers, WATCH_MS);
  const took: number[] = [];
  for (const end = performance.now() + WATCH_MS; performance.now() < end; await pause(250)) {
    took.push(await answerMs(`${node.url}/api/streams/statuses`));
  }
  const sum = used.web + used.front;
  tell(
    `${MANY_NODES} nodes, ${MANY_STREAMS} streams: a node with ${BOARDS} open boards`,
    `${sum.toFixed(1)} % of a core, ${ownMiB(servers.web).toFixed(0)} MiB`,
    "10 % of a core",
    sum <= 10,
  );
  const p99 = percentile(took, 0.99);
  tell(
    `${MANY_STREAMS} states of all nodes, asked for ${took.length} times`,
    `median ${median(took).toFixed(0)} ms, p90 ${percentile(took, 0.9).toFixed(0)} ms, p99 ${
      p99.toFixed(0)
    } ms, most ${Math.max(...took).toFixed(0)} ms`,
    "p99 50 ms",
    p99 <= 50,
  );
  leaving.abort();
  await closed;
});
