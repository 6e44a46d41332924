import { strict as assert } from "node:assert";
import { LoopLag } from "../../../../lib/machine/tools/loop_lag.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

Deno.test("event loop: what is late is counted by how late it is", () => {
  let now = 5000;
  const lag = new LoopLag(1000, () => now);
  const samples = (...ms: number[]) => {
    for (const late of ms) {
      now += 1000 + late;
      lag.round();
    }
  };
  lag.round();
  assert.equal(lag.distribution().count, 0, "the first round has nothing to be late for");
  samples(0.5, -0.4, 4, 60, 3000);
  const { buckets, count, sum } = lag.distribution();
  const upTo = (bound: number) => buckets.find((one) => one.bound === bound)!.count;
  assert.deepEqual([upTo(0.001), upTo(0.005), upTo(0.05), upTo(0.1), upTo(2.5)], [2, 3, 3, 4, 4]);
  assert.deepEqual([count, Number(sum.toFixed(6))], [5, 3.0645]);
});

Deno.test("event loop: samples are taken from the start until the stop", async () => {
  using clock = new FakeClock();
  const lag = new LoopLag(1000);
  lag.start();
  await clock.advance(4500);
  await lag.stop();
  const { count } = lag.distribution();
  assert.ok(count >= 3, `${count}`);
  await clock.advance(4500);
  assert.equal(lag.distribution().count, count);
});
