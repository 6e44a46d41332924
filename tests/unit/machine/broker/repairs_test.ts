import assert from "node:assert/strict";
import {
  GUARD_REASONS,
  parseRepairs,
  REPAIR_REASONS,
  repairLines,
  Repairs,
} from "../../../../lib/machine/broker/repairs.ts";

Deno.test("what was written is read", () => {
  const repairs = new Repairs(() => 1_800_000_000_000);
  for (const reason of REPAIR_REASONS) {
    repairs.add("encoder-clock", reason);
    repairs.add("vnc-proxy", reason, true);
  }
  assert.equal(repairs.after(0).length, 8);
  for (const reason of GUARD_REASONS) repairs.add("policies", reason);
  assert.deepEqual(parseRepairs(repairLines(repairs.after(0))), repairs.after(0));
  assert.deepEqual(repairs.after(4).map(({ number }) => number), [5, 6, 7, 8, 9, 10]);
});

Deno.test("only the newest are remembered, with their numbers", () => {
  const repairs = new Repairs();
  for (let count = 0; count < 1000; count++) repairs.add("media", "stopped");
  const all = repairs.after(0);
  assert.equal(all.length, 200);
  assert.equal(all.at(-1)!.number, 1000);
});

Deno.test("lines that nobody wrote are left out", () => {
  assert.deepEqual(
    parseRepairs("\nx\n1 2 Media program stopped\n1 2 media program hungry\n1 2 media stopped\n"),
    [],
  );
});
