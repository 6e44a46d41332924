/** The tests' own clock: what is real is waited for before time goes on. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { removeTree } from "../../lib/machine/os/files.ts";
import { FakeClock } from "../support/fake_clock.ts";

Deno.test("virtual time stands still while a program runs that removes a tree", async () => {
  const dir = await Deno.makeTempDir();
  await Deno.mkdir(join(dir, "a/b"), { recursive: true });
  await Deno.writeTextFile(join(dir, "a/b/file"), "text");
  using clock = new FakeClock();
  let endedAt: number | null = null;
  const removed = removeTree(dir).then(() => endedAt = clock.elapsed());
  // as a test does that lets an hour go by
  await clock.advance(3_600_000);
  await removed;
  assert.equal(endedAt, 0);
  await assert.rejects(Deno.lstat(dir), Deno.errors.NotFound);
});
