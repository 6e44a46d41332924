/** The stream list of a cluster in three real NATS servers. */
import { strict as assert } from "node:assert";
import type { Bucket } from "../../lib/cluster/buckets.ts";
import { ClusterList } from "../../lib/cluster/cluster_list.ts";
import { connectNats, NatsBucket } from "../../lib/cluster/nats.ts";
import { clusterKey, sealedBucket } from "../../lib/cluster/sealed_bucket.ts";
import type { Stream } from "../../lib/model/schema.ts";
import { testBucket } from "../support/bucket_contract.ts";
import { aStream } from "../support/fixture.ts";
import { type NatsServers, startNats } from "../support/nats_servers.ts";
import { same, until } from "../support/same.ts";
import { inSoak } from "../support/soak.ts";
import { testStore } from "../support/store_contract.ts";

const CLUSTER = "wall-of-screens";
const RULES = { replicas: 3, history: 32, ttlMs: 0, isMemory: false };

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
    },
  };
});

const add =
  (id: string) => (streams: readonly Stream[]) => [...streams, aStream({ id, order: streams.length })];

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
  },
);
