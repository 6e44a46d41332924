import { strict as assert } from "node:assert";
import { busyCores, cpuTimes, parseCpuTimes } from "../../../lib/os/cpu_times.ts";

const STAT =
  "cpu  100 20 30 800 50 0 5 10 7 7\ncpu0 50 10 15 400 25 0 3 5 0 0\ncpu1 50 10 15 400 25 0 2 5 0 0\nintr 1\n";

Deno.test("busy is what is neither idle nor waiting for a disk, stolen time is", () => {
  assert.deepEqual(parseCpuTimes(STAT), { cores: 2, busy: 165, total: 1015 });
  assert.throws(() => parseCpuTimes("intr 1\n"), /does not tell/);
});

Deno.test("busy cores are those of the time between two looks", () => {
  const before = { cores: 4, busy: 100, total: 1000 };
  assert.equal(busyCores(before, { cores: 4, busy: 200, total: 1400 }), 1);
  assert.equal(busyCores(before, before), null);
});

Deno.test("this machine tells how busy its processors are", async () => {
  const { cores, busy, total } = await cpuTimes();
  assert.ok(cores >= 1 && busy > 0 && total > busy);
});
