/** A stranger who reaches NATS, even with its login, and has no key of the cluster's: nothing of what it writes counts. */
import { strict as assert } from "node:assert";
import { Claims } from "../../../lib/cluster/claims.ts";
import { ClusterList } from "../../../lib/cluster/cluster_list.ts";
import { DRAINING, drainingNodes } from "../../../lib/cluster/draining.ts";
import { type Beat, Nodes } from "../../../lib/cluster/nodes.ts";
import { clusterKey, sealedBucket, sealedNews } from "../../../lib/cluster/sealed_bucket.ts";
import { SharedTexts } from "../../../lib/cluster/shared_texts.ts";
import type { News } from "../../../lib/cluster/buckets.ts";
import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";
import type { StreamId } from "../../../lib/model/id.ts";
import { ClusterStreams } from "../../../lib/cluster/cluster_streams.ts";
import { NodeNews, ToldStates } from "../../../lib/cluster/node_news.ts";
import { changeText } from "../../../lib/store/shared_text.ts";
import { setLogLevel } from "../../../lib/machine/tools/log.ts";
import { ciphersDone } from "../../support/ciphers.ts";
import { FakeBucket } from "../../support/fake_bucket.ts";
import { aStream } from "../../support/fixture.ts";
import { logged } from "../../support/logged.ts";
import { same } from "../../support/same.ts";

const ASH = "ash" as StreamId;
const STRANGE: Beat = {
  run: "x",
  address: "http://evil.example",
  version: "1",
  protocol: 1,
  room: 1,
  isDraining: false,
  now: 0,
};

Deno.test("who has no key reads no record, and forges no stream, claim, beat, text or status", async () => {
  setLogLevel("error");
  const [key, other] = await Promise.all([7, 8].map((byte) => clusterKey(new Uint8Array(32).fill(byte))));
  const raw = Object.fromEntries(
    ["streams", "owners", "nodes", "texts"].map((name) => [name, new FakeBucket()]),
  );
  const ours = (name: string) => sealedBucket(raw[name].view(), name, key);
  const leaving = new AbortController();
  const { signal } = leaving;
  await ClusterList.found(ours("streams"), "wall", 0, [
    aStream({ id: "ash", url: "https://secret.example.org/" }),
  ]);
  const list = await ClusterList.open(ours("streams"), "wall", signal);
  const claims = await Claims.open(ours("owners"), () => 0, signal);
  await claims.make(ASH, { node: "wall-a", state: "ready", sequence: 5 });
  const nodes = await Nodes.open(ours("nodes"), { name: "wall-a", run: "1" }, () => 0, signal);
  await nodes.beat({ ...STRANGE, address: "http://10.0.0.1:3000" });
  const texts = await SharedTexts.open(ours("texts"), signal);
  const told: ((subject: string, text: string) => void)[] = [];
  const news: News = {
    tell: (subject, text) => told.forEach((one) => one(subject, text)),
    listen: (subject, hears) => void told.push((about, text) => about === subject && hears(text)),
  };
  const states = new ToldStates("wall-a", new ClusterStreams(), () => 0);
  new NodeNews({
    view: { joined: null },
    told: states,
    elapsed: () => 0,
    statuses: { own: () => Promise.resolve({}) },
    events: { onadded: () => {}, take: () => {}, isKnown: () => false },
  }).listen(sealedNews(news, key), signal);

  // what is there says nothing
  for (const bucket of Object.values(raw)) {
    for (const record of bucket.keys()) {
      const { text } = bucket.get(record)!;
      for (const word of ["secret.example", "wall-a", "10.0.0.1", "ready"]) {
        assert.ok(!text!.includes(word) && !atob(text!).includes(word), `${record}: ${word}`);
      }
    }
  }
  const forged = {
    streams: { birch: aStream({ id: "birch" }), ash: aStream({ id: "ash", url: "https://evil.example/" }) },
    owners: { "ash.2": { term: 2, node: "evil", state: "ready", sequence: 1 } },
    nodes: { evil: STRANGE },
    texts: { [DRAINING]: ["wall-a"] },
  };
  for (const [name, records] of Object.entries(forged)) {
    for (const [record, value] of Object.entries(records)) {
      for (const bucket of [raw[name].view(), sealedBucket(raw[name].view(), name, other)]) {
        const revision = raw[name].get(record)?.revision ?? 0;
        await bucket.put(record, JSON.stringify(value), revision);
      }
    }
  }
  const status = { id: "ash", state: "failed", programs: [] } as unknown as StreamStatus;
  const message = JSON.stringify({ node: "evil", statuses: [status] });
  news.tell("status", message);
  sealedNews(news, other).tell("status", message);
  // what another node of ours tells comes after all of theirs
  const lateList = await ClusterList.open(ours("streams"), "wall", signal);
  await lateList.change((streams) => [...streams, aStream({ id: "cedar" })]);
  const late = await Claims.open(ours("owners"), () => 0, signal);
  const cedar = "cedar" as StreamId;
  await late.make(cedar, { node: "wall-b", state: "ready", sequence: 1 });
  const lateNodes = await Nodes.open(ours("nodes"), { name: "wall-b", run: "1" }, () => 0, signal);
  await lateNodes.beat({ ...STRANGE, address: "http://10.0.0.2:3000" });
  await changeText((await SharedTexts.open(ours("texts"), signal)).of("note"), () => "ours");
  sealedNews(news, key).tell(
    "status",
    JSON.stringify({ node: "wall-b", statuses: [{ ...status, id: "cedar" }] }),
  );
  await same(() => claims.newest(cedar)?.node, "wall-b");
  await same(() => texts.of("note").text, "ours");
  await same(() => states.of(cedar, "wall-b")?.id, cedar);
  for (const known of [claims, late]) assert.equal(known.newest(ASH)?.node, "wall-a");
  const ash = "ash https://secret.example.org/";
  const addresses = () => list.list().map(({ id, url }) => id === "cedar" ? id : `${id} ${url}`).toSorted();
  await same(addresses, [ash, "cedar"]);
  await same(() => nodes.list().map(({ name }) => name).toSorted(), ["wall-a", "wall-b"]);
  assert.deepEqual(drainingNodes(texts.of(DRAINING)), []);
  assert.equal(states.of(ASH, "evil"), null);
  leaving.abort();
  // those that were opened late hear what they have written themselves
  await ciphersDone();
});

Deno.test("a thousand records of a stranger are one line in a node's log, and none of them is told", async () => {
  const raw = new FakeBucket();
  const key = await clusterKey(new Uint8Array(32).fill(7));
  const told: string[] = [];
  const lines = await logged(async () => {
    const leaving = new AbortController();
    for (let at = 0; at < 1000; at++) await raw.view().put(`junk${at}`, "bm90IG91cnM=", 0);
    await sealedBucket(raw.view(), "owners", key).put("ours", "last", 0);
    const watching = sealedBucket(raw.view(), "owners", key).watch(
      (entry) => void told.push(entry.key),
      leaving.signal,
    );
    await same(() => told, ["ours"]);
    leaving.abort();
    await watching;
    await ciphersDone();
  });
  assert.ok(lines.length <= 1, `${lines.length} lines`);
});

Deno.test("what a stranger removes that was never there is remembered up to a number", async () => {
  const raw = new FakeBucket();
  const key = await clusterKey(new Uint8Array(32).fill(7));
  const ours = sealedBucket(raw.view(), "owners", key);
  let told = 0;
  const leaving = new AbortController();
  const lines = await logged(async () => {
    await ours.watch(({ text }) => void (text === null && told++), leaving.signal);
    for (let at = 0; at < 21_000; at++) await raw.view().remove(`junk${at}`, 0);
    const revision = await ours.put("ours", "here", 0);
    await ours.remove("ours", revision);
    await same(() => told, 20_001, "and what is ours as always");
    await ciphersDone();
  });
  leaving.abort();
  assert.ok(lines.length <= 1, `${lines.length} lines`);
});

Deno.test("news that come faster than they are read wait up to a number, and those after them come again", async () => {
  const key = await clusterKey(new Uint8Array(32).fill(7));
  let hears = (_: string) => {};
  const news: News = { tell: (_, text) => void sealed.push(text), listen: (_, told) => void (hears = told) };
  const sealed: string[] = [];
  sealedNews(news, key).tell("status", "again");
  await same(() => sealed.length, 1);
  const told: string[] = [];
  sealedNews(news, key).listen("status", (text) => void told.push(text), new AbortController().signal);
  const lines = await logged(async () => {
    for (let at = 0; at < 40_000; at++) hears(sealed[0]);
    const kept = Math.floor(16 * 1024 * 1024 / (sealed[0].length + 1024)) + 1;
    await same(() => told.length, kept);
    hears(sealed[0]);
    await same(() => told.length, kept + 1);
  });
  assert.deepEqual(lines.length, 1);
});
