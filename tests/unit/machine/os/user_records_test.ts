import assert from "node:assert/strict";
import { join } from "node:path";
import { UserRecords } from "../../../../lib/machine/os/user_records.ts";
import { tempDir } from "../../../support/fixture.ts";

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

/** What a record's file may have in it. */
const UNREADABLE = ["", "{", "null", "[]", '"x"', '{"runDir":1}', '{"runDir":"/x"}'];

Deno.test("a number whose record cannot be read may be another service's; our own stays ours", async () => {
  await using dir = await tempDir();
  const folder = join(dir.path, "records");
  const runDir = join(dir.path, "ours");
  const ours = new UserRecords({ runDir, upLock: join(runDir, "up.lock") }, folder);
  await ours.keep(FIRST);
  for (const text of UNREADABLE) {
    for (const uid of [FIRST, SECOND]) await Deno.writeTextFile(join(folder, String(uid)), text);
    const seen = [await ours.isOthers(FIRST), await ours.isOthers(SECOND), [...await ours.others()]];
    assert.deepEqual(seen, [false, true, [SECOND]], text);
    assert.deepEqual([await ours.look(), await ours.look()], [true, false], text);
  }
  await Deno.remove(folder, { recursive: true });
  assert.deepEqual([await ours.isOthers(SECOND), await ours.look(), await ours.look()], [false, true, false]);
});

Deno.test("a number that cannot be recorded is not kept", async () => {
  await using dir = await tempDir();
  const folder = join(dir.path, "records");
  const runDir = join(dir.path, "ours");
  const ours = new UserRecords({ runDir, upLock: join(runDir, "up.lock") }, folder);
  await Deno.writeTextFile(folder, "no folder");
  await assert.rejects(ours.keep(FIRST), /number of user 4000000001 cannot be recorded/);
  await assert.rejects(ours.others());
  await Deno.remove(folder);
  assert.equal(await ours.look(), false);
});
