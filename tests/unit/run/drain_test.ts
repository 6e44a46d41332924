/** `cluster drain`: how long it waits for the other nodes, in virtual time. */
import { strict as assert } from "node:assert";
import { drain } from "../../../lib/run/cluster.ts";
import { Claims } from "../../../lib/cluster/claims.ts";
import { ClusterList } from "../../../lib/cluster/cluster_list.ts";
import { parseConfig } from "../../../lib/config.ts";
import type { StreamId } from "../../../lib/model/id.ts";
import { FakeBucket } from "../../support/fake_bucket.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { aStream } from "../../support/fixture.ts";

Deno.test("a drain waits until other nodes have all streams, and for DRAIN_SECONDS at most", async () => {
  using clock = new FakeClock();
  const ending = new AbortController();
  const [streams, nodes, owners, texts] = [1, 2, 3, 4].map(() => new FakeBucket().view());
  const buckets = { streams, nodes, owners, texts };
  const ash = aStream({ id: "ash", desiredState: "running" });
  await ClusterList.found(streams, "walls", 0, [ash]);
  const claims = await Claims.open(owners, () => clock.elapsed(), ending.signal);
  await claims.make(ash.id, { node: "one", state: "ready", sequence: 1 });
  const env = { CLUSTER_NAME: "walls", NODE_NAME: "one", DRAIN_SECONDS: "20" };
  const run = () => {
    const seen: { code: number | null } = { code: null };
    void drain(parseConfig(env), { buckets }, ending.signal).then((code) => seen.code = code);
    return seen;
  };
  const inVain = run();
  await clock.advance(19_000);
  assert.equal(inVain.code, null);
  await clock.advance(2000);
  assert.equal(inVain.code, 1, "nobody has taken it");
  const done = run();
  await clock.advance(5000);
  assert.equal(done.code, null);
  await claims.make("ash" as StreamId, { node: "other", state: "ready", sequence: 2 });
  await clock.advance(1000);
  assert.equal(done.code, 0);
  ending.abort();
});
