import assert from "node:assert/strict";
import { join } from "node:path";
import { MemoryGroups } from "../../../../lib/machine/os/memory_group.ts";
import { isThere, namesIn, tempDir } from "../../../support/fixture.ts";

/** The kernel makes a group's files with its folder; here they are made beforehand. */
async function aMount(version: 1 | 2): Promise<{ path: string } & AsyncDisposable> {
  const dir = await tempDir();
  const [parent, file] = version === 2
    ? [dir.path, "memory.max"]
    : [join(dir.path, "memory"), "memory.limit_in_bytes"];
  for (const group of ["probe", "clock"]) {
    await Deno.mkdir(join(parent, "service", group), { recursive: true });
    await Deno.writeTextFile(join(parent, "service", group, file), "max");
  }
  if (version === 2) {
    for (const folder of [parent, join(parent, "service")]) {
      await Deno.writeTextFile(join(folder, "cgroup.controllers"), "cpu memory");
      await Deno.writeTextFile(join(folder, "cgroup.subtree_control"), "");
    }
  }
  return dir;
}

for (
  const [version, file] of [[2, "service/clock/memory.max"], [
    1,
    "memory/service/clock/memory.limit_in_bytes",
  ]] as const
) {
  Deno.test(`cgroups of version ${version}: a group gets its limit in bytes`, async () => {
    await using mount = await aMount(version);
    const groups = await MemoryGroups.make("service", mount.path);
    await groups!.limit("clock", 1500);
    assert.equal(await Deno.readTextFile(join(mount.path, file)), String(1500 * 1024 * 1024));
    assert.ok(await MemoryGroups.find("service", mount.path));
    if (version === 2) {
      assert.equal(await Deno.readTextFile(join(mount.path, "cgroup.subtree_control")), "+memory");
    }
  });
}

Deno.test("where the kernel gives no file for the limit there are no groups, and nothing is left", async () => {
  await using mount = await tempDir();
  assert.equal(await MemoryGroups.make("service", mount.path), null);
  assert.equal(await MemoryGroups.find("service", mount.path), null);
  assert.ok(!await isThere(join(mount.path, "memory/service/clock")));
});

Deno.test("a limit that others change or take away is set again; without a group nothing joins", async () => {
  await using mount = await aMount(2);
  const groups = (await MemoryGroups.make("service", mount.path))!;
  const folder = join(mount.path, "service/clock");
  await groups.limit("clock", 500);
  assert.equal(await groups.look(), false);
  for (const text of ["max", "", "9223372036854771712"]) {
    await Deno.writeTextFile(join(folder, "memory.max"), text);
    assert.deepEqual([await groups.look(), await groups.look()], [true, false], text);
    assert.equal(await Deno.readTextFile(join(folder, "memory.max")), String(500 * 1024 * 1024));
  }
  // this is no kernel: the new group has no files
  await Deno.remove(folder, { recursive: true });
  await assert.rejects(groups.look());
  await assert.rejects(groups.join("clock"));
  await groups.remove("clock");
  assert.equal(await groups.look(), false);
});

Deno.test({
  name: "the kernel's own cgroups: made, limited and removed [needs root and writable cgroups]",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    const service = `bs-test-${Deno.pid}`;
    const groups = await MemoryGroups.make(service);
    if (!groups) return console.log("cgroups cannot be written here");
    await groups.limit("clock", 500);
    await groups.limit("clock", 600);
    const kernels = (await MemoryGroups.find(service))!;
    await kernels.limit("clock", 4096);
    assert.deepEqual([await groups.look(), await groups.look()], [true, false]);
    await kernels.remove("clock");
    assert.deepEqual([await groups.look(), await groups.look()], [true, false]);
    await groups.removeAll();
    assert.equal(await MemoryGroups.find(service), null);
    assert.deepEqual((await namesIn("/sys/fs/cgroup")).includes(service), false);
  },
});
