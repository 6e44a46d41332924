import { strict as assert } from "node:assert";
import { dirname, join } from "node:path";
import { groupLimits } from "../../../../lib/machine/os/group_limits.ts";
import { tempDir } from "../../../support/fixture.ts";

/** @param own /proc/self/cgroup. @param files by their path below the mount. */
async function limits(own: string, files: Record<string, string>) {
  await using dir = await tempDir();
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(dir.path, path)), { recursive: true });
    await Deno.writeTextFile(join(dir.path, path), `${text}\n`);
  }
  return await groupLimits(own, dir.path);
}

Deno.test("a container's limits of processors' time and tasks", async () => {
  const files = { "cpu.max": "150000 100000", "pids.max": "500", "pids.current": "120" };
  assert.deepEqual(await limits("0::/\n", files), { cores: 1.5, tasks: { most: 500, used: 120 } });
});

Deno.test("the nearest limit of a group and those above it", async () => {
  const files = {
    "cpu.max": "max 100000",
    "tv.slice/cpu.max": "100000 100000",
    "tv.slice/tv.service/cpu.max": "400000 100000",
    "tv.slice/pids.max": "max",
    "tv.slice/tv.service/pids.max": "1000",
    "tv.slice/tv.service/pids.current": "10",
  };
  const own = "0::/tv.slice/tv.service\n";
  assert.deepEqual(await limits(own, files), { cores: 1, tasks: { most: 1000, used: 10 } });
});

Deno.test("the limits of cgroups of version 1", async () => {
  const own = "12:pids:/docker/x\n4:cpu,cpuacct:/docker/x\n1:name=systemd:/docker/x\n";
  const files = {
    "cpu/cpu.cfs_quota_us": "50000",
    "cpu/cpu.cfs_period_us": "100000",
    "pids/pids.max": "200",
    "pids/pids.current": "7",
  };
  assert.deepEqual(await limits(own, files), { cores: 0.5, tasks: { most: 200, used: 7 } });
  const none = { "cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000", "pids/pids.max": "max" };
  assert.deepEqual(await limits(own, none), { cores: null, tasks: null });
});

Deno.test("where nothing is limited, or nothing can be read, there is no limit", async () => {
  for (const own of ["", "0::/\n", "0::/../other\n"]) {
    assert.deepEqual(await limits(own, {}), { cores: null, tasks: null }, own);
  }
});
