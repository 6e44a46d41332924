import { strict as assert } from "node:assert";
import { ClusterList } from "../../../lib/cluster/cluster_list.ts";
import { Claims } from "../../../lib/cluster/claims.ts";
import { SharedTexts } from "../../../lib/cluster/shared_texts.ts";
import { DRAINING, drainingNodes, setDraining } from "../../../lib/cluster/draining.ts";
import { canAsk, OLDEST, PROTOCOL } from "../../../lib/cluster/protocol.ts";
import type { StreamId } from "../../../lib/model/id.ts";
import { FakeBucket } from "../../support/fake_bucket.ts";
import { aStream } from "../../support/fixture.ts";

Deno.test("two versions ask each other where the newer one speaks as the older one does", () => {
  const own = { protocol: 4, oldest: 3 };
  const told = { 1: false, 2: false, 3: true, 4: true, 5: false };
  for (const [protocol, isUnderstood] of Object.entries(told)) {
    assert.equal(canAsk({ protocol: Number(protocol) }, own), isUnderstood, protocol);
  }
  assert.equal(canAsk({ protocol: 6, oldest: 4 }, own), true);
  assert.equal(canAsk({ protocol: 6, oldest: 5 }, own), false);
  assert.ok(OLDEST <= PROTOCOL && canAsk({ protocol: PROTOCOL }));
});

/** A list with a stream that a newer version has written, and one that this version cannot read. */
async function newerList() {
  const bucket = new FakeBucket();
  const leaving = new AbortController();
  await ClusterList.found(bucket.view(), "wall", 0, [
    aStream({ id: "ash" }),
    aStream({ id: "birch", order: 1 }),
  ]);
  const change = async (key: string, fields: Record<string, unknown>) => {
    const { text, revision } = bucket.get(key)!;
    await bucket.view().put(key, JSON.stringify({ ...JSON.parse(text!), ...fields }), revision);
  };
  await change("ash", { hologram: { depth: 3, of: ["a", null] } });
  await change("birch", { fps: { least: 5, most: 60 }, hologram: true });
  return {
    bucket,
    list: await ClusterList.open(bucket.view(), "wall", leaving.signal),
    read: (key: string) => JSON.parse(bucket.get(key)!.text!),
    [Symbol.dispose]: () => leaving.abort(),
  };
}

Deno.test("a field that only a newer version knows stays when an older one changes the stream", async () => {
  using newer = await newerList();
  await newer.list.change((streams) =>
    streams.map((one) => one.id === "ash" ? { ...one, name: "Ash" } : one)
  );
  const { name, hologram } = newer.read("ash");
  assert.deepEqual([name, hologram], ["Ash", { depth: 3, of: ["a", null] }]);
});

Deno.test("a stream that only a newer version can read is left alone, and keeps its place", async () => {
  using newer = await newerList();
  const { list, read, bucket } = newer;
  assert.deepEqual(list.list().map(({ id }) => id), ["ash"]);
  assert.equal(list.wasRemoved("birch"), false, "what it has on disk stays");
  const before = bucket.get("birch")!.revision;
  await list.change((streams) => [...streams, aStream({ id: "cedar", order: streams.length })]);
  await list.change((streams) => streams.toReversed().map((one, order) => ({ ...one, order })));
  assert.deepEqual([bucket.get("birch")!.revision, read("birch").fps.most], [before, 60]);
  const order: string[] = read("_order");
  assert.deepEqual(order.toSorted(), ["ash", "birch", "cedar"]);
});

Deno.test("a stream that only a newer version can read is not written over by another one of its id", async () => {
  using newer = await newerList();
  const before = newer.bucket.get("birch")!.revision;
  const adding = newer.list.change((streams) => [...streams, aStream({ id: "birch", order: 1 })]);
  await assert.rejects(adding, { status: 409, message: /^A newer version has a stream "birch"/ });
  assert.deepEqual([newer.bucket.get("birch")!.revision, newer.read("birch").fps.most], [before, 60]);
});

Deno.test("a claim with a state of a newer version counts as a node that has the stream", async () => {
  const bucket = new FakeBucket();
  const leaving = new AbortController();
  const claim = { term: 3, node: "wall-b", state: "warming", sequence: 7, hologram: 1 };
  await bucket.view().put("ash.3", JSON.stringify(claim), 0);
  const claims = await Claims.open(bucket.view(), () => 0, leaving.signal);
  assert.equal(claims.onAir("ash" as StreamId)?.node, "wall-b");
  leaving.abort();
});

Deno.test("what an older version leaves out of a record, a newer one does without", async () => {
  const bucket = new FakeBucket();
  const leaving = new AbortController();
  const old = { id: "ash", name: "Ash", url: "https://ash.example.org/" };
  await ClusterList.found(bucket.view(), "wall", 0);
  await bucket.view().put("ash", JSON.stringify(old), 0);
  const list = await ClusterList.open(bucket.view(), "wall", leaving.signal);
  assert.deepEqual([list.get("ash")?.fps, list.get("ash")?.desiredState], [25, "running"]);
  const draining = (await SharedTexts.open(new FakeBucket().view(), leaving.signal)).of(DRAINING);
  await setDraining(draining, "wall-b", true);
  assert.deepEqual(drainingNodes(draining), ["wall-b"]);
  leaving.abort();
});
