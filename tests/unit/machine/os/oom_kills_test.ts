import assert from "node:assert/strict";
import { join } from "node:path";
import { oomKills } from "../../../../lib/machine/os/oom_kills.ts";
import { tempDir } from "../../../support/fixture.ts";

Deno.test("the kernel's count of processes that it ended for memory; 0 where it has none", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "vmstat");
  await Deno.writeTextFile(path, "nr_free_pages 5\npgpgin 7\noom_kill 52\noom_kill_other 9\n");
  assert.equal(await oomKills(path), 52);
  await Deno.writeTextFile(path, "nr_free_pages 5\n");
  assert.equal(await oomKills(path), 0);
  assert.equal(await oomKills(join(dir.path, "none")), 0);
});
