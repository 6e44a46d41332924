import assert from "node:assert/strict";
import { join } from "node:path";
import { UserRecords } from "../../../lib/os/user_records.ts";
import { tempDir } from "../../support/fixture.ts";

/** Numbers that no process of a test's machine has. */
const [FIRST, SECOND, THIRD] = [4_000_000_001, 4_000_000_002, 4_000_000_003];

Deno.test("rules of killed services are removed, and no others", async () => {
  await using dir = await tempDir();
  const removed: string[] = [];
  const recordsOf = (name: string, filterTable?: string) => {
    const runDir = join(dir.path, name);
    const owner = { runDir, upLock: join(runDir, "up.lock"), filterTable };
    return new UserRecords(
      owner,
      join(dir.path, "records"),
      (table) => Promise.resolve(void removed.push(table)),
    );
  };
  const ours = recordsOf("ours", "ours");
  await ours.clearKilled();
  await ours.keep(FIRST);
  await recordsOf("killed", "killed").keep(SECOND);
  await recordsOf("of-old").keep(THIRD);
  // our own from before the run directory was another
  await recordsOf("earlier", "ours").keep(THIRD + 1);
  // a process of its users runs
  await recordsOf("half", "half").keep(Deno.uid()!);
  assert.deepEqual(removed, []);
  await ours.clearKilled();
  assert.deepEqual(removed, ["killed"]);
  await ours.keep(SECOND);
  assert.deepEqual(removed, ["killed", "killed"], "a killed service's number is taken");
  await ours.clearKilled();
  assert.deepEqual(removed, ["killed", "killed"]);
});
