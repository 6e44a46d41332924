import { strict as assert } from "node:assert";
import { join } from "node:path";
import { run } from "../../../lib/machine/os/process.ts";
import { root, tempDir } from "../../support/fixture.ts";
import { canMount, NEEDS_MOUNT, withOwnMounts } from "../../support/mounts.ts";

Deno.test({
  name:
    `forty channels' past on a disk that is full: what was kept stays, and goes on with room (${NEEDS_MOUNT})`,
  ignore: !canMount(),
  fn: async () => {
    await using dir = await tempDir();
    const program = [
      Deno.execPath(),
      "run",
      "-A",
      "--quiet",
      join(root, "tests/support/full_disk_recorders.ts"),
    ];
    const mount = '/usr/bin/mount -t tmpfs -o size=16m,mode=755 tmpfs "$0"';
    const argv = withOwnMounts([...program, dir.path], mount, dir.path);
    const { code, stdout, stderr } = await run(argv, { timeoutMs: 120_000, cwd: root });
    assert.deepEqual([stdout.trim(), stderr, code], [`all right, ${dir.path}`, "", 0]);
  },
});
