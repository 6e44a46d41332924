import assert from "node:assert/strict";
import { Cleaning } from "../../../lib/run/cleaning.ts";

const DAY_MS = 86_400_000;

Deno.test("what has been left is removed once a day, and after a deletion", async () => {
  let now = 1e12, removals = 3, cleanings = 0, isBroken = false;
  const cleaning = new Cleaning({
    removals: () => removals,
    clean: () => {
      cleanings++;
      return isBroken ? Promise.reject(new Error("no list")) : Promise.resolve();
    },
    limits: { checkMs: 60_000, everyMs: DAY_MS },
    elapsed: () => now,
  });
  const round = async (afterMs: number) => {
    now += afterMs;
    const before = cleanings;
    await cleaning.round();
    return cleanings - before;
  };
  assert.equal(await round(0), 0, "the start has cleaned");
  assert.equal(await round(DAY_MS - 1), 0);
  assert.equal(await round(1), 1);
  assert.equal(await round(60_000), 0);
  removals++;
  assert.equal(await round(60_000), 1);
  assert.equal(await round(60_000), 0);
  isBroken = true;
  now += DAY_MS;
  await assert.rejects(cleaning.round(), /no list/);
  isBroken = false;
  assert.equal(await round(60_000), 0, "one that fails is not tried each minute");
  assert.equal(await round(DAY_MS), 1);
});
