/** Removing trees that others have made. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { removeTree } from "../../../lib/machine/os/files.ts";
import { isThere, namesIn, tempDir } from "../../support/fixture.ts";
import { inSoak } from "../../support/soak.ts";

const NEST = "for (1..15000) { mkdir 'd' or die; chdir 'd' or die }";

Deno.test("trees go, missing ones too; a link goes without its target", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(join(dir.path, "a/b"), { recursive: true });
  await Deno.symlink(join(dir.path, "a"), join(dir.path, "link"));
  await removeTree(join(dir.path, "link"));
  assert.deepEqual([await isThere(join(dir.path, "link")), await isThere(join(dir.path, "a/b"))], [
    false,
    true,
  ]);
  await removeTree(join(dir.path, "a"));
  await removeTree(join(dir.path, "a"));
  assert.deepEqual(await namesIn(dir.path), []);
});

inSoak(Deno.test)("15,000 folders in each other are removed, and end nothing but themselves", async () => {
  await using dir = await tempDir();
  const { code } = await new Deno.Command("perl", { args: ["-e", NEST], cwd: dir.path }).output();
  assert.equal(code, 0);
  await removeTree(join(dir.path, "d"));
  assert.deepEqual(await namesIn(dir.path), []);
});

inSoak(Deno.test)(
  "a tree that takes too long is told, and what is left of it goes the next time",
  async () => {
    await using dir = await tempDir("/dev/shm");
    const tree = join(dir.path, "tree");
    const fill = "mkdir $ARGV[0]; for (1..30000) { open my $f, '>', \"$ARGV[0]/$_\" }";
    await new Deno.Command("perl", { args: ["-e", fill, tree] }).output();
    await assert.rejects(removeTree(tree, 1), /did not end within/);
    await removeTree(tree);
    assert.ok(!await isThere(tree));
  },
);
