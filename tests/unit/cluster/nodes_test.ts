/** Which nodes are there, as one node knows it: in virtual time. */
import { strict as assert } from "node:assert";
import { AwayError } from "../../../lib/cluster/buckets.ts";
import { type Beat, LOST_MS, Nodes, TwinError } from "../../../lib/cluster/nodes.ts";
import { FakeBucket } from "../../support/fake_bucket.ts";
import { FakeClock } from "../../support/fake_clock.ts";

/** Milliseconds after which NATS' client gives an answer up (lib/cluster/nats.ts). */
const ANSWER_MS = 5000;

const BEAT: Omit<Beat, "run"> = {
  address: "http://10.0.0.1:3000",
  version: "1",
  protocol: 1,
  room: 1,
  isDraining: false,
  now: 0,
};

/** Two nodes of one cluster that have beaten once. @param beats of which seconds: all others are silent. */
function nodesTest(
  name: string,
  test: (parts: {
    one: Nodes;
    other: Nodes;
    view: ReturnType<FakeBucket["view"]>;
    bucket: FakeBucket;
    clock: FakeClock;
    /** Lets seconds go by, in each of which these nodes beat. */
    beat(seconds: number, ...nodes: Nodes[]): Promise<void>;
  }) => Promise<void>,
): void {
  Deno.test(name, async () => {
    using clock = new FakeClock();
    const bucket = new FakeBucket({ ttlMs: LOST_MS, now: () => 1e12 + clock.elapsed() });
    const ending = new AbortController();
    const elapsed = () => clock.elapsed();
    const view = bucket.view();
    const one = await Nodes.open(view, { name: "one", run: "1" }, elapsed, ending.signal);
    const other = await Nodes.open(bucket.view(), { name: "other", run: "2" }, elapsed, ending.signal);
    const beat = async (seconds: number, ...nodes: Nodes[]) => {
      for (let second = 0; second < seconds; second++) {
        await Promise.all(nodes.map((node) => node.beat(BEAT).catch(() => {})));
        await clock.advance(1000);
      }
    };
    await beat(1, one, other);
    await test({ one, other, view, bucket, clock, beat });
    ending.abort();
  });
}

const names = (nodes: Nodes) => nodes.list().map(({ name }) => name).toSorted();

nodesTest(
  "a node that is silent for 8 s is lost, and there again with its next beat",
  async ({ one, other, beat }) => {
    assert.deepEqual(names(one), ["one", "other"]);
    await beat(7, one);
    assert.ok(!one.isLost("other"));
    await beat(1, one);
    assert.ok(one.isLost("other"));
    assert.deepEqual(names(one), ["one"]);
    await beat(1, one, other);
    assert.ok(!one.isLost("other"));
  },
);

nodesTest(
  "a node of which a beat is lost on its way beats on, and is not taken for lost",
  async ({ one, other, view, clock }) => {
    for (const lost of [1, 2]) {
      let puts = 0;
      const waiting: { until: number; reject: (error: Error) => void }[] = [];
      view.beforePut = () => {
        if (++puts > lost) return;
        const { promise, reject } = Promise.withResolvers<void>();
        waiting.push({ until: clock.elapsed() + ANSWER_MS, reject });
        return promise;
      };
      for (let half = 0; half < 40; half++) {
        if (half % 4 === 0) { for (const node of [one, other]) void node.beat(BEAT).catch(() => {}); }
        await clock.advance(500);
        for (const { until, reject } of waiting) {
          if (clock.elapsed() >= until) reject(new AwayError("nobody answers"));
        }
        assert.ok(!other.isLost("one"), `${lost} lost, after ${half / 2} s`);
      }
    }
  },
);

nodesTest(
  "a node that leaves is lost at once; one that was never heard is, after 8 s",
  async ({ one, other, beat }) => {
    assert.ok(!one.isLost("never heard"));
    await other.leave();
    await beat(1, one);
    assert.ok(one.isLost("other") && one.hasLeft("other") && !one.hasLeft("never heard"));
    assert.deepEqual(names(one), ["one"]);
    await beat(7, one);
    assert.ok(one.isLost("never heard"));
  },
);

nodesTest(
  "who is cut off takes nobody for lost, and waits anew once it is back",
  async ({ one, other, view, bucket, beat }) => {
    view.isAway = true;
    await beat(4, one, other);
    assert.ok(one.isConnected);
    await beat(36, one, other);
    assert.ok(other.isLost("one"));
    await beat(20, one);
    assert.ok(!one.isConnected && !one.isLost("other"));
    view.isAway = false;
    // its last beat is not in the bucket any more
    await beat(1, one);
    assert.ok(one.isConnected && !one.isLost("other"));
    bucket.catchUp(view);
    await beat(8, one);
    assert.ok(one.isLost("other"));
  },
);

nodesTest("the cluster's clock is known, whatever the machine's is", async ({ one, clock, beat }) => {
  await beat(3, one);
  assert.equal(one.clusterNow(), 1e12 + clock.elapsed());
});

nodesTest("a beat that comes back late does not put the cluster's clock back", async (parts) => {
  const { one, view, bucket, clock } = parts;
  view.down = "in";
  for (let now = 1; now <= 3; now++) {
    await assert.rejects(one.beat({ ...BEAT, now }), AwayError);
    await clock.advance(2000);
  }
  view.down = null;
  bucket.catchUp(view);
  assert.ok(one.isConnected, "it came");
  assert.equal(one.clusterNow(), 1e12 + clock.elapsed());
});

nodesTest("what nobody can read is no beat", async ({ one, bucket, beat }) => {
  await bucket.view().put("broken", "{", 0);
  await beat(2, one);
  assert.deepEqual(names(one), ["one", "other"]);
});

nodesTest(
  "who hears nothing is cut off, though what it writes is kept",
  async ({ one, other, view, beat }) => {
    view.isDeaf = true;
    await beat(3, one, other);
    assert.ok(one.isConnected);
    await beat(20, one, other);
    assert.deepEqual([one.isConnected, one.isLost("other"), other.isLost("one")], [false, false, false]);
    view.isDeaf = false;
    await beat(2, one, other);
    assert.ok(one.isConnected && !one.isLost("other"));
  },
);

nodesTest("a beat that is on its way is the only one", async ({ one, view, beat }) => {
  const gate = Promise.withResolvers<void>();
  view.beforePut = () => gate.promise;
  const first = one.beat(BEAT);
  await one.beat(BEAT);
  gate.resolve();
  await first;
  view.beforePut = () => {};
  await beat(10, one);
  assert.ok(one.isConnected && !one.isLost("one"));
});

/** Opens nodes of one name on one bucket. */
function namesakes(clock: FakeClock) {
  const bucket = new FakeBucket({ ttlMs: LOST_MS });
  const ending = new AbortController();
  const open = (run: string) =>
    Nodes.open(bucket.view(), { name: "wall", run }, () => clock.elapsed(), ending.signal);
  return { open, [Symbol.dispose]: () => ending.abort() };
}

Deno.test("two machines of one name: the second one refuses to start", async () => {
  using clock = new FakeClock();
  using names = namesakes(clock);
  const first = await names.open("1");
  await first.beat(BEAT);
  const second = assert.rejects(names.open("2"), TwinError);
  await clock.advance(1000);
  await first.beat(BEAT);
  await clock.advance(4000);
  await second;
  assert.ok(!first.hasTwin);
});

Deno.test("two machines of one name that start at the same moment take themselves for cut off", async () => {
  using clock = new FakeClock();
  using names = namesakes(clock);
  const both = await Promise.all([names.open("1"), names.open("2")]);
  for (let second = 0; second < 6; second++) {
    await Promise.allSettled(both.map((node) => node.beat(BEAT)));
    await clock.advance(1000);
  }
  assert.deepEqual(both.map(({ isConnected }) => isConnected), [false, false]);
});

Deno.test("a node that starts again waits for its own last beat, a web app of the same start does not", async () => {
  using clock = new FakeClock();
  using names = namesakes(clock);
  await (await names.open("1")).beat(BEAT);
  await names.open("1");
  let isOpen = false;
  void names.open("2").then(() => isOpen = true);
  await clock.advance(3000);
  assert.ok(!isOpen);
  await clock.advance(2000);
  assert.ok(isOpen);
});
