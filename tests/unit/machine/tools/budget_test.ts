import assert from "node:assert/strict";
import { Budget } from "../../../../lib/machine/tools/budget.ts";
import { FakeClock } from "../../../support/fake_clock.ts";

Deno.test("budget: a burst is free, what is over it waits, and a quiet time gives the burst back and no more", async () => {
  using clock = new FakeClock();
  const budget = new Budget({ perSecond: 100, burst: 50 });
  assert.deepEqual([budget.spend(20), budget.spend(29), budget.spend(0)], [0, 0, 0]);
  assert.equal(budget.spend(101), 1001, "100 too many");
  await clock.advance(1001);
  assert.equal(budget.spend(0), 0);
  await clock.advance(3_600_000);
  assert.deepEqual([budget.spend(49), budget.spend(11)], [0, 101]);
});

Deno.test("budget: paying takes as long as what was taken is over it", async () => {
  using clock = new FakeClock();
  const budget = new Budget({ perSecond: 1000, burst: 10 });
  let paid = 0;
  const paying = (async () => {
    for (let count = 0; count < 40; count++) {
      await budget.pay(1);
      paid++;
    }
  })();
  await clock.advance(5);
  assert.ok(paid >= 9 && paid < 20, `${paid}`);
  await clock.advance(100);
  assert.equal(paid, 40);
  await paying;
});

Deno.test("budget: who is over it for too long without a break is told, and a break counts", async () => {
  using clock = new FakeClock();
  const budget = new Budget({ perSecond: 1000, burst: 150, overMs: 1000 });
  const spend = async (parts: number) => {
    for (let part = 0; part < parts; part++) await budget.pay(100);
  };
  for (const pauseMs of [5000, 0]) {
    const spending = spend(8);
    await clock.advance(2000);
    await spending;
    await clock.advance(pauseMs);
  }
  const spending = assert.rejects(spend(20), /over its budget for too long/);
  await clock.advance(3000);
  await spending;
});

Deno.test("budget: what is taken or not takes nothing when it is not", async () => {
  using clock = new FakeClock();
  const budget = new Budget({ perSecond: 10, burst: 3 });
  assert.deepEqual(Array.from({ length: 1000 }, () => budget.take(1)).filter(Boolean).length, 3);
  await clock.advance(100);
  assert.deepEqual([budget.take(1), budget.take(1)], [true, false]);
});

Deno.test("budget: its waits end with its signal", async () => {
  using _clock = new FakeClock();
  const over = new AbortController();
  const budget = new Budget({ perSecond: 1, burst: 1 }, over.signal);
  const paying = Promise.all([budget.pay(1000), budget.pay(1000)]);
  over.abort();
  await paying;
  await budget.pay(1000);
});
