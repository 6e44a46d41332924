import { strict as assert } from "node:assert";
import { busyCores, cpuTimes, parseCpuTimes } from "../../../../lib/machine/os/cpu_times.ts";

const STAT =
  "cpu  100 20 30 800 50 0 5 10 7 7\ncpu0 50 10 15 400 25 0 3 5 0 0\ncpu1 50 10 15 400 25 0 2 5 0 0\nintr 1\n";

Deno.test("busy is what is neither idle nor waiting for a disk, stolen time is", () => {
  assert.deepEqual(parseCpuTimes(STAT), { cores: 2, machineCores: 2, busy: 165, total: 1015 });
  assert.throws(() => parseCpuTimes("intr 1\n"), /does not tell/);
});

/** /proc/stat of a machine of `count` processors, of which all but the first two are at work. */
const statOf = (count: number) =>
  [
    `cpu  ${100 * (count - 2)} 0 0 200`,
    ...Array.from({ length: count }, (_, at) => `cpu${at} ${at < 2 ? "0 0 0 100" : "100 0 0 0"}`),
  ].join("\n") + "\n";

Deno.test("only the processors count that a container may run on, and all where it does not say", () => {
  const of = (count: number, list: string) => {
    const { cores, machineCores, busy } = parseCpuTimes(
      statOf(count),
      `Name:\tdeno\nCpus_allowed_list:\t${list}\n`,
    );
    return [cores, machineCores, busy];
  };
  for (
    const [count, list, expected] of [
      [16, "0-1", [2, 16, 0]],
      [16, "0,2", [2, 16, 100]],
      [16, "0-1,4-5", [4, 16, 200]],
      [16, "0-15", [16, 16, 1400]],
      [16, "0-127", [16, 16, 1400]], // of which the machine could have that many
      [2, "4-5", [2, 2, 0]], // lxcfs, which numbers a container's own processors
      [4, "40", [4, 4, 200]], // of which the file shows none
    ] as const
  ) assert.deepEqual(of(count, list), expected, `${count} ${list}`);
  assert.deepEqual(parseCpuTimes(statOf(4)), { cores: 4, machineCores: 4, busy: 200, total: 400 });
});

Deno.test("busy cores are those of the time between two looks", () => {
  const before = { cores: 4, machineCores: 4, busy: 100, total: 1000 };
  assert.equal(busyCores(before, { ...before, busy: 200, total: 1400 }), 1);
  assert.equal(busyCores(before, before), null);
});

Deno.test("this machine tells how busy its processors are", async () => {
  const { cores, machineCores, busy, total } = await cpuTimes();
  assert.ok(cores >= 1 && machineCores >= cores && busy > 0 && total > busy);
});
