/** The stream list of a cluster in three real NATS servers. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { type Bucket, OtherClusterError } from "../../../lib/cluster/buckets.ts";
import { ClusterList } from "../../../lib/cluster/cluster_list.ts";
import { Claims } from "../../../lib/cluster/claims.ts";
import { connectNats, NatsBucket, openBlobs, openShared } from "../../../lib/cluster/nats.ts";
import { Nodes } from "../../../lib/cluster/nodes.ts";
import type { StreamId } from "../../../lib/model/id.ts";
import { clusterKey, sealedBlobs, sealedBucket } from "../../../lib/cluster/sealed_bucket.ts";
import type { Stream } from "../../../lib/model/schema.ts";
import { testBlobs, testBucket } from "../../support/bucket_contract.ts";
import { ciphersDone } from "../../support/ciphers.ts";
import { aStream, root, tempDir } from "../../support/fixture.ts";
import { type NatsServers, startNats } from "../../support/nats_servers.ts";
import { same, until } from "../../support/same.ts";
import { inSoak } from "../../support/soak.ts";
import { testStore } from "../../support/store_contract.ts";

const CLUSTER = "wall-of-screens";
const RULES = { replicas: 3, history: 32, ttlMs: 0 };

let servers: NatsServers;
let key: CryptoKey;
let made = 0;

Deno.test.beforeAll(async () => {
  key = await clusterKey(crypto.getRandomValues(new Uint8Array(32)));
  servers = await startNats(3);
  await servers.ready();
});
Deno.test.afterAll(async () => await servers[Symbol.asyncDispose]());

/** A node's connection to a bucket, which is made with it. */
async function aNode(name: string, at = servers.at): Promise<AsyncDisposable & { bucket: Bucket }> {
  const connection = await connectNats(at);
  const bucket = await NatsBucket.open(connection, name, RULES).catch(async (error) => {
    await connection.close();
    throw error;
  });
  return { bucket, [Symbol.asyncDispose]: () => connection.drain() };
}

const newName = () => `bucket-${made++}`;

testBucket("NATS bucket", () => aNode(newName()));

testBlobs("blobs in NATS", async () => {
  const connection = await connectNats(servers.at);
  const blobs = sealedBlobs(await openBlobs(connection, newName(), 3), "profiles", key);
  return { blobs, [Symbol.asyncDispose]: () => connection.drain() };
});

testStore("list in NATS", async () => {
  const name = newName();
  const things = new AsyncDisposableStack();
  const leaving = new AbortController();
  const again = async () => {
    const { bucket } = things.use(await aNode(name));
    const sealed = sealedBucket(bucket, name, key);
    await ClusterList.found(sealed, CLUSTER, Date.now()).catch(() => {});
    return await ClusterList.open(sealed, CLUSTER, leaving.signal);
  };
  const store = await again();
  return {
    store,
    again,
    [Symbol.asyncDispose]: async () => {
      leaving.abort();
      await things.disposeAsync();
      await ciphersDone();
    },
  };
});

const add =
  (id: string) => (streams: readonly Stream[]) => [...streams, aStream({ id, order: streams.length })];

/** What a node of one cluster shares with the others. */
async function shared(things: AsyncDisposableStack, cluster: string) {
  things.defer(ciphersDone);
  const connection = await connectNats(servers.at);
  things.defer(() => connection.drain());
  return await openShared(connection, cluster, key, 3);
}

Deno.test("of many nodes that claim a stream at once one has it, and all know which", async () => {
  await using things = new AsyncDisposableStack();
  const leaving = new AbortController();
  things.defer(() => leaving.abort());
  const cluster = newName();
  const nodes: Claims[] = [];
  for (let at = 0; at < 8; at++) {
    const { buckets } = await shared(things, cluster);
    nodes.push(await Claims.open(buckets.owners, () => performance.now(), leaving.signal));
  }
  for (const [round, id] of ["ash", "birch", "ash"].entries()) {
    const claims: boolean[] = await Promise.all(
      nodes.map((claims, at) =>
        claims.make(id as StreamId, { node: `n${at}`, state: "starting", sequence: round })
      ),
    );
    assert.equal(claims.filter(Boolean).length, 1);
    const owner = `n${claims.indexOf(true)}`;
    await same(
      () =>
        nodes.map((claims) => claims.newest(id as StreamId)).map((claim) =>
          `${claim?.node} ${claim?.sequence}`
        ),
      nodes.map(() => `${owner} ${round}`),
    );
  }
});

Deno.test("a cluster that one server kept is kept by three when it is founded again with three", async () => {
  await using things = new AsyncDisposableStack();
  const connection = await connectNats(servers.at);
  things.defer(() => connection.drain());
  const cluster = newName();
  const { streams } = await jetstreamManager(connection);
  await assert.rejects(openShared(connection, cluster, key, null), OtherClusterError, "it was not founded");
  const replicas = async () => {
    const names = ["streams", "owners", "nodes", "texts", "profiles"].map((name) => `KV_${cluster}-${name}`);
    return new Set(
      await Promise.all(names.map(async (name) => (await streams.info(name)).config.num_replicas)),
    );
  };
  const one = await openShared(connection, cluster, key, 1);
  const revision = await one.buckets.streams.put("ash", "1", 0);
  assert.deepEqual(await replicas(), new Set([1]));
  await openShared(connection, cluster, key, null);
  assert.deepEqual(await replicas(), new Set([1]), "a node that joins changes nothing");
  const three = await openShared(connection, cluster, key, 3);
  assert.deepEqual(await replicas(), new Set([3]));
  assert.ok(await three.buckets.streams.put("ash", "2", revision) > revision, "what was there is there");
  await openShared(connection, cluster, key, 1);
  assert.deepEqual(await replicas(), new Set([3]), "never fewer");
});

Deno.test("nodes hear each other's beats and news, and know the cluster's clock", async () => {
  await using things = new AsyncDisposableStack();
  const leaving = new AbortController();
  things.defer(() => leaving.abort());
  const cluster = newName();
  const [one, other] = [await shared(things, cluster), await shared(things, cluster)];
  const elapsed = () => performance.now();
  const nodes = await Promise.all(
    [one, other].map(({ buckets }, at) =>
      Nodes.open(buckets.nodes, { name: `n${at}`, run: `r${at}` }, elapsed, leaving.signal)
    ),
  );
  const beat = { address: "http://a:3000", version: "1", protocol: 1, room: 1, isDraining: false, now: 0 };
  for (const node of nodes) await node.beat(beat);
  await same(() => nodes.map((node) => node.list().map(({ name }) => name).toSorted()), [["n0", "n1"], [
    "n0",
    "n1",
  ]]);
  await until("the cluster's clock", () => nodes.every((node) => node.clusterNow() !== null));
  for (const node of nodes) assert.ok(Math.abs(node.clusterNow()! - Date.now()) < 10_000);
  await nodes[1].leave();
  // who does not beat for 5 s is cut off, and takes nobody for lost
  await until("it to be gone", async () => {
    await nodes[0].beat(beat);
    return nodes[0].isLost("n1");
  });
  const told: string[] = [];
  one.news.listen("status", (text) => told.push(text), leaving.signal);
  // none is on its way when the test ends: the last one has come
  let news = 0;
  await until("news", () => {
    if (told.length === 0) other.news.tell("status", `${++news}`);
    return told.at(-1) === `${news}`;
  });
});

Deno.test("the server takes the configuration of docs/cluster.md", async () => {
  const text = await Deno.readTextFile(join(root, "docs/cluster.md"));
  const configuration = /nats-server\.conf <<END[^\n]*\n(.*?)\nEND\n/s.exec(text)?.[1];
  assert.match(configuration ?? "", /jetstream .*routes: /s);
  await using folder = await tempDir();
  const file = join(folder.path, "nats-server.conf");
  await Deno.writeTextFile(file, configuration!);
  const { success, stdout, stderr } = await new Deno.Command("/usr/sbin/nats-server", {
    args: ["-t", "-c", file],
  })
    .output();
  assert.ok(success, new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr));
});

inSoak(Deno.test)(
  "a NATS server is killed, then all: no change that was told to hold is lost, and news come again",
  async () => {
    const name = newName();
    await using things = new AsyncDisposableStack();
    const servers = things.use(await startNats(3));
    await servers.ready();
    const leaving = new AbortController();
    things.defer(() => leaving.abort());
    const lists: ClusterList[] = [];
    for (let node = 0; node < 2; node++) {
      const { bucket } = things.use(await aNode(name, servers.at));
      const sealed = sealedBucket(bucket, name, key);
      if (node === 0) await ClusterList.found(sealed, CLUSTER, Date.now());
      lists.push(await ClusterList.open(sealed, CLUSTER, leaving.signal));
    }
    const [a, b] = lists;
    const held: string[] = [];
    const tryTo = (list: ClusterList, id: string) =>
      list.change(add(id)).then(() => held.push(id), (error) => {
        // what was not told to hold may hold nevertheless
        if (error.status !== 503 && error.status !== 409) throw error;
      });
    const idsOf = (list: ClusterList) => list.list().map(({ id }) => id);
    const missing = () => lists.map((list) => held.filter((id) => !idsOf(list).includes(id as Stream["id"])));
    await tryTo(a, "before");
    for (const number of servers.all) {
      await servers.signal(number, "SIGKILL");
      let at = 0;
      await until("a change that holds", async () => {
        const before = held.length;
        await tryTo(at % 2 ? b : a, `without-${number}-${at++}`);
        return held.length > before;
      });
      servers.start(number);
      await servers.ready();
    }
    await same(missing, [[], []]);
    for (const number of servers.all) await servers.signal(number, "SIGKILL");
    await assert.rejects(a.change(add("nobody")), { status: 503 });
    assert.deepEqual(missing(), [[], []], "what is known stays");
    for (const number of servers.all) servers.start(number);
    await servers.ready();
    await until("a change that holds", async () => {
      const before = held.length;
      await tryTo(a, `after-${held.length}`);
      return held.length > before;
    });
    await same(missing, [[], []]);
    await same(() => idsOf(b), idsOf(a));
    await ciphersDone();
  },
);
