/** How many processors there are for a process that may not have all of them, as in a container. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { cpuTimes } from "../../../lib/machine/os/cpu_times.ts";
import { MOUNT } from "../../../lib/machine/os/group_limits.ts";
import type { MachineLoad } from "../../../lib/machine/os/machine_load.ts";
import { run } from "../../../lib/machine/os/process.ts";

const MODULE = new URL("../../../lib/machine/os/machine_load.ts", import.meta.url).href;
const SCRIPT = `import { machineLoad } from "${MODULE}"; console.log(JSON.stringify(await machineLoad()));`;

/** What a process sees that is started by a command. */
async function loadBy(
  ...command: string[]
): Promise<Pick<MachineLoad, "cores" | "processors" | "machineCores">> {
  const argv = [...command, Deno.execPath(), "eval", SCRIPT];
  const { code, stdout, stderr } = await run(argv, { timeoutMs: 60_000 });
  assert.equal(code, 0, stderr);
  const { cores, processors, machineCores } = JSON.parse(stdout);
  return { cores, processors, machineCores };
}

/** A group whose processes have three quarters of a core; null where no group can be made. */
async function makeGroup(): Promise<string | null> {
  const name = `bs-test-${crypto.randomUUID()}`;
  for (
    const [folder, file, limit] of [["", "cpu.max", "75000 100000"], ["cpu", "cpu.cfs_quota_us", "75000"]]
  ) {
    const group = join(MOUNT, folder, name);
    try {
      await Deno.mkdir(group);
      await Deno.writeTextFile(join(group, file), limit, { create: false });
      return group;
    } catch {
      await Deno.remove(group).catch(() => {});
    }
  }
  return null;
}

const { machineCores } = await cpuTimes();
const group = await makeGroup();
Deno.test.afterAll(async () => group === null ? undefined : await Deno.remove(group));

Deno.test("a process that may run on one processor counts that one, of all that there are", async () => {
  assert.deepEqual(await loadBy("taskset", "-c", "0"), { cores: 1, processors: 1, machineCores });
});

Deno.test({
  name: "a limit of time is told as it is, beside all processors that there are [needs cgroups]",
  ignore: group === null,
  fn: async () => {
    const inGroup = ["/bin/sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', group!];
    const processors = machineCores;
    assert.deepEqual(await loadBy(...inGroup), { cores: 0.75, processors, machineCores });
  },
});
