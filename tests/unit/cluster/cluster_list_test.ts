import { strict as assert } from "node:assert";
import { ClusterList } from "../../../lib/cluster/cluster_list.ts";
import { clusterKey, sealedBlobs, sealedBucket, sealedNews } from "../../../lib/cluster/sealed_bucket.ts";
import {
  AwayError,
  ConflictError,
  type Entry,
  type News,
  OtherClusterError,
} from "../../../lib/cluster/buckets.ts";
import { testBlobs, testBucket } from "../../support/bucket_contract.ts";
import { ciphersDone } from "../../support/ciphers.ts";
import { type BucketView, FakeBlobs, FakeBucket } from "../../support/fake_bucket.ts";
import { aStream } from "../../support/fixture.ts";
import { same } from "../../support/same.ts";
import { testStore } from "../../support/store_contract.ts";
import type { Stream } from "../../../lib/model/schema.ts";

const CLUSTER = "wall-of-screens";

testBucket("fake bucket", () => {
  const bucket = new FakeBucket().view();
  return Promise.resolve({ bucket, [Symbol.asyncDispose]: () => Promise.resolve() });
});

testBucket("sealed bucket", async () => {
  const key = await clusterKey(crypto.getRandomValues(new Uint8Array(32)));
  const bucket = sealedBucket(new FakeBucket().view(), "streams", key);
  return { bucket, [Symbol.asyncDispose]: () => Promise.resolve() };
});

testBlobs("fake blobs", () => {
  return Promise.resolve({ blobs: new FakeBlobs().view(), [Symbol.asyncDispose]: () => Promise.resolve() });
});

testBlobs("sealed blobs", async () => {
  const key = await clusterKey(crypto.getRandomValues(new Uint8Array(32)));
  const blobs = sealedBlobs(new FakeBlobs().view(), "profiles", key);
  return { blobs, [Symbol.asyncDispose]: () => Promise.resolve() };
});

Deno.test("sealed blobs: nothing is read without the key, nor at another key, nor after a change", async () => {
  const fake = new FakeBlobs();
  const [key, other] = [await clusterKey(new Uint8Array(32)), await clusterKey(new Uint8Array(32).fill(1))];
  const blobs = sealedBlobs(fake.view(), "profiles", key);
  const secret = new TextEncoder().encode("session=1");
  await blobs.put("ash", secret);
  const sealed = fake.kept.get("ash")!;
  assert.ok(!new TextDecoder().decode(sealed).includes("session"));
  fake.kept.set("birch", sealed);
  assert.deepEqual(await blobs.get("ash"), secret);
  assert.equal(await blobs.get("birch"), null);
  assert.equal(await sealedBlobs(fake.view(), "profiles", other).get("ash"), null);
  sealed[20] ^= 1;
  assert.equal(await blobs.get("ash"), null);
});

/** A cluster with so many nodes, each with its view of the bucket and its list. */
async function aCluster(nodes: number) {
  const shared = new FakeBucket();
  const leaving = new AbortController();
  await ClusterList.found(shared.view(), CLUSTER, 0);
  const join = async (view = shared.view()) => ({
    view,
    list: await ClusterList.open(view, CLUSTER, leaving.signal),
  });
  const joined: { view: BucketView; list: ClusterList }[] = [];
  for (let at = 0; at < nodes; at++) joined.push(await join());
  return { shared, join, nodes: joined, [Symbol.dispose]: () => leaving.abort() };
}

testStore("list in a bucket", async () => {
  const { nodes: [{ list }], join, ...cluster } = await aCluster(1);
  return {
    store: list,
    again: async () => (await join()).list,
    [Symbol.asyncDispose]: () => Promise.resolve(cluster[Symbol.dispose]()),
  };
});

const idsOf = ({ list }: { list: ClusterList }) => list.list().map(({ id }) => id);
const add = (id: string) => (streams: readonly Stream[]) => [
  ...streams,
  aStream({ id, order: Math.max(-1, ...streams.map(({ order }) => order)) + 1 }),
];
const rename = (id: string, name: string) => (streams: readonly Stream[]) =>
  streams.map((one) => one.id === id ? { ...one, name } : one);

Deno.test("cluster list: what one node changes the others have, with the same version", async () => {
  using cluster = await aCluster(3);
  const [a, b, c] = cluster.nodes;
  await a.list.change(add("clock"));
  for (const node of [b, c]) await same(() => idsOf(node), ["clock"]);
  await b.list.change(rename("clock", "Other"));
  for (const node of [a, c]) await same(() => node.list.get("clock")?.name, "Other");
  await same(() => new Set(cluster.nodes.map(({ list }) => list.version)).size, 1);
});

Deno.test("cluster list: who comes second changes what the first has made of it, and loses nothing", async () => {
  using cluster = await aCluster(2);
  const [a, b] = cluster.nodes;
  await a.list.change(add("clock"));
  await same(() => idsOf(b), ["clock"]);
  const seen: string[] = [];
  a.view.beforePut = async (key) => {
    if (key !== "clock") return;
    a.view.beforePut = () => {};
    await b.list.change(rename("clock", "of b"));
  };
  await a.list.change((streams) => {
    seen.push(streams[0].name);
    return streams.map((one) => ({ ...one, group: "of a" }));
  });
  assert.deepEqual(seen.slice(1), ["of b"], "the change was made anew");
  for (const { list } of cluster.nodes) {
    await same(() => [list.get("clock")?.name, list.get("clock")?.group], ["of b", "of a"]);
  }
});

Deno.test("cluster list: nodes that add at once are all heard, and agree on the order", async () => {
  using cluster = await aCluster(3);
  await Promise.all(
    cluster.nodes.flatMap(({ list }, node) => [0, 1, 2].map((at) => list.change(add(`s${node}-${at}`)))),
  );
  const [first] = cluster.nodes;
  await same(() => idsOf(first).length, 9);
  for (const node of cluster.nodes) await same(() => idsOf(node), idsOf(first));
});

Deno.test("cluster list: without the cluster a change is a 503, and all goes on when it is back", async () => {
  using cluster = await aCluster(2);
  const [a, b] = cluster.nodes;
  await a.list.change(add("clock"));
  await same(() => idsOf(b), ["clock"]);
  b.view.isAway = true;
  await assert.rejects(b.list.change(add("news")), { status: 503, retryAfterSeconds: 5 });
  await a.list.change(add("sales"));
  assert.deepEqual(idsOf(b), ["clock"], "what it knows stays");
  b.view.isAway = false;
  cluster.shared.catchUp(b.view);
  await b.list.change(add("news"));
  for (const node of cluster.nodes) await same(() => idsOf(node), ["clock", "sales", "news"]);
});

Deno.test("cluster list: a change of several that others come before halfway says so", async () => {
  using cluster = await aCluster(2);
  const [a, b] = cluster.nodes;
  for (const id of ["a", "b"]) await a.list.change(add(id));
  await same(() => idsOf(b), ["a", "b"]);
  a.view.beforePut = async (key) => {
    if (key === "b") await b.list.change(rename("b", "of b"));
  };
  const both = (streams: readonly Stream[]) => streams.map((one) => ({ ...one, group: "of a" }));
  await assert.rejects(a.list.change(both), { status: 409 });
  await same(() => [a.list.get("a")?.group, a.list.get("b")?.name], ["of a", "of b"]);
});

Deno.test("cluster list: a bucket that is empty, or another cluster's, is refused", async () => {
  const leaving = new AbortController();
  const empty = new FakeBucket();
  await assert.rejects(ClusterList.open(empty.view(), CLUSTER, leaving.signal), OtherClusterError);
  await ClusterList.found(empty.view(), "another", 0);
  await assert.rejects(ClusterList.open(empty.view(), CLUSTER, leaving.signal), OtherClusterError);
  await assert.rejects(ClusterList.found(empty.view(), CLUSTER, 0), "it is founded once");
  leaving.abort();
});

Deno.test("cluster list: a cluster begins with its founder's streams, also when a try before broke off", async () => {
  const bucket = new FakeBucket();
  const streams = ["oak", "ash"].map((id, order) => aStream({ id, order }));
  const breaking = bucket.view();
  const put = breaking.put.bind(breaking);
  breaking.put = (key, text, revision) =>
    key === "_cluster" && revision > 0 ? Promise.reject(new AwayError("gone")) : put(key, text, revision);
  await assert.rejects(ClusterList.found(breaking, CLUSTER, 0, streams), AwayError);
  const leaving = new AbortController();
  await assert.rejects(ClusterList.open(bucket.view(), CLUSTER, leaving.signal), OtherClusterError);
  await ClusterList.found(bucket.view(), CLUSTER, 0, streams.slice(1));
  const list = await ClusterList.open(bucket.view(), CLUSTER, leaving.signal);
  assert.deepEqual(list.list().map(({ id }) => id), ["ash"]);
  await assert.rejects(ClusterList.found(bucket.view(), CLUSTER, 0, streams), ConflictError);
  assert.deepEqual(list.list().map(({ id }) => id), ["ash"], "nothing was changed");
  const secret = await clusterKey(crypto.getRandomValues(new Uint8Array(32)));
  const stranger = sealedBucket(bucket.view(), "streams", secret);
  await assert.rejects(ClusterList.found(stranger, CLUSTER, 0, streams), ConflictError);
  assert.ok(!bucket.get("oak") || bucket.get("oak")!.text === null, "nothing is written with another secret");
  leaving.abort();
});

Deno.test("cluster list: a record that this version cannot read is left alone", async () => {
  using cluster = await aCluster(1);
  const other = cluster.shared.view();
  await other.put(
    "newer",
    JSON.stringify({ name: "N", url: "https://n.example/", fps: "as many as it takes" }),
    0,
  );
  await other.put("broken", "{", 0);
  const { list } = await cluster.join();
  assert.deepEqual(list.list(), []);
  await list.change(add("clock"));
  await assert.rejects(other.put("newer", "", 0), "it is still there");
});

Deno.test("sealed bucket: nobody reads a record, and nobody's are told", async () => {
  const shared = new FakeBucket();
  const key = await clusterKey(new Uint8Array(32).fill(7));
  const sealed = sealedBucket(shared.view(), "streams", key);
  await sealed.put("clock", "sesame", 0);
  const raw: Entry[] = [];
  const leaving = new AbortController();
  await shared.view().watch((entry) => raw.push(entry), leaving.signal);
  const [{ text }] = raw;
  assert.ok(!atob(text!).includes("sesame"));
  await shared.view().put("forged", btoa("x".repeat(60)), 0);
  await shared.view().put("moved", text!, 0); // a record in another's place
  await shared.view().put("plain", "{}", 0);
  const told: string[] = [];
  await sealed.watch((entry) => told.push(`${entry.key} ${entry.text}`), leaving.signal);
  const other = await clusterKey(new Uint8Array(32).fill(8));
  const strangers: string[] = [];
  await sealedBucket(shared.view(), "streams", other).watch(({ key }) => strangers.push(key), leaving.signal);
  const elsewhere: string[] = [];
  await sealedBucket(shared.view(), "shared", key).watch(({ key }) => elsewhere.push(key), leaving.signal);
  assert.deepEqual([told, strangers, elsewhere], [["clock sesame"], [], []]);
  await assert.rejects(clusterKey(new Uint8Array(31)), /31 bytes/);
  leaving.abort();
});

Deno.test("sealed news: they come in order to who has the key, and nothing else does", async () => {
  const listeners: [string, (text: string) => void][] = [];
  const raw: string[] = [];
  const news: News = {
    tell: (subject, text) => {
      raw.push(text);
      for (const [about, told] of listeners) if (about === subject) told(text);
    },
    listen: (subject, told) => void listeners.push([subject, told]),
  };
  const leaving = new AbortController();
  const keys = await Promise.all([7, 8].map((byte) => clusterKey(new Uint8Array(32).fill(byte))));
  const [own, others] = keys.map((key) => sealedNews(news, key));
  const told: string[] = [];
  own.listen("status", (text) => told.push(text), leaving.signal);
  own.listen("events", (text) => told.push(`event ${text}`), leaving.signal);
  own.tell("status", "a".repeat(100_000));
  own.tell("status", "b");
  others.tell("status", "of another key");
  news.tell("status", "plain");
  await same(() => told, ["a".repeat(100_000), "b"]);
  news.tell("events", raw.at(-1)!); // of another subject
  own.tell("events", "c");
  await same(() => told.slice(2), ["event c"]);
  assert.ok(!raw.some((text) => text.includes("a".repeat(20))), "a cipher has four of a letter by chance");
  leaving.abort();
  own.tell("status", "d");
  await same(() => raw.length, 7);
  await ciphersDone();
  assert.equal(told.length, 3);
});

Deno.test("a stream has one seed for its tokens at all nodes, whatever changes, and a later one of its id another", async () => {
  using cluster = await aCluster(2);
  const [one, other] = cluster.nodes;
  await one.list.change(add("ash"));
  const { tokenSeed } = one.list.get("ash")!;
  assert.match(String(tokenSeed), /^[\w-]{36}$/);
  // as an import or an old export might
  await one.list.change((streams) =>
    streams.map((stream) => ({ ...stream, name: "Oak", tokenSeed: "chosen" }))
  );
  await same(() => [other.list.get("ash")?.name, other.list.get("ash")?.tokenSeed], ["Oak", tokenSeed]);
  const kept = other.list.list();
  await other.list.change(() => []);
  await same(() => idsOf(one), []);
  await one.list.change(() => kept);
  assert.notEqual(one.list.get("ash")!.tokenSeed, tokenSeed);
});

Deno.test("what another node changes while a change is thought of is not lost", async () => {
  using cluster = await aCluster(2);
  const [one, other] = cluster.nodes;
  await one.list.change(add("ash"));
  await same(() => idsOf(other), ["ash"]);
  let tries = 0;
  await one.list.change(async (streams) => {
    if (++tries === 1) {
      await other.list.change(rename("ash", "Oak"));
      // this node has heard of it before it writes
      await same(() => one.list.get("ash")!.name, "Oak");
    }
    return streams.map((stream) => ({ ...stream, group: "Trees" }));
  });
  const { name, group } = one.list.get("ash")!;
  assert.deepEqual([name, group, tries], ["Oak", "Trees", 2]);
});

Deno.test("a stream that another node removes while a change is thought of stays removed", async () => {
  using cluster = await aCluster(2);
  const [one, other] = cluster.nodes;
  await one.list.change(add("ash"));
  await one.list.change(add("birch"));
  await same(() => idsOf(other), ["ash", "birch"]);
  let tries = 0;
  await one.list.change(async (streams) => {
    if (++tries === 1) {
      await other.list.change((all) => all.filter(({ id }) => id !== "ash"));
      await same(() => idsOf(one), ["birch"]);
    }
    return streams.map((stream) => ({ ...stream, group: "Trees" }));
  });
  await same(() => [one, other].map(idsOf), [["birch"], ["birch"]]);
});

Deno.test("cluster list: numbers that older nodes leave out, or give twice, are shown and then kept", async () => {
  using cluster = await aCluster(2);
  const [{ list }, { list: other }] = cluster.nodes;
  const old = cluster.shared.view();
  for (const [id, channelNumber] of [["a", 0], ["b", 0], ["c", 3], ["d", 3]] as const) {
    await old.put(id, JSON.stringify(aStream({ id, channelNumber })), 0);
  }
  const numbers = (one: ClusterList) =>
    one.list().map(({ id, channelNumber }) => `${id}${channelNumber}`).join(" ");
  await same(() => numbers(list), "a1 b2 c3 d4");
  await list.change((streams) => streams.filter(({ id }) => id !== "a"));
  await same(() => numbers(other), "b2 c3 d4");
  assert.equal(numbers(list), "b2 c3 d4");
});
