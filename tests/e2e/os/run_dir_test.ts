/** A start in a run directory that an earlier run, or its streams, filled. */
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  keepSocketFolder,
  makeRunDir,
  makeSocketFolder,
  removeOrSetAside,
} from "../../../lib/run/run_dir.ts";
import { currentUser } from "../../../lib/machine/os/users.ts";
import { slotPaths } from "../../../lib/paths.ts";
import { isThere, makePaths, namesIn, tempDir } from "../../support/fixture.ts";
import { logged } from "../../support/logged.ts";
import { needsRoot } from "../../support/needs_root.ts";

async function perl(code: string, cwd: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("perl", { args: ["-e", code], cwd }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

Deno.test(
  "25,000 folders in each other in a slot do not keep a start from an empty run directory",
  async () => {
    await using dir = await tempDir("/dev/shm");
    const paths = await makePaths(dir.path);
    await Deno.writeTextFile(paths.upLock, "");
    const { folder } = slotPaths(paths, 65_000);
    await Deno.mkdir(folder);
    await perl("for (1..25000) { mkdir 'd' or die; chdir 'd' or die }", folder);
    const me = await currentUser();
    await makeRunDir(paths, { web: me, media: me, vncProxy: me, front: me, capture: me });
    assert.deepEqual(await namesIn(paths.slotsDir), []);
    assert.ok(await isThere(paths.upLock), "the lock was removed");
  },
);

Deno.test("what takes too long is set aside, and goes with a later start", async () => {
  await using dir = await tempDir("/dev/shm");
  await Deno.mkdir(join(dir.path, "slots"));
  await perl("for (1..30000) { open my $f, '>', \"slots/$_\" }", dir.path);
  const said = await logged(() => removeOrSetAside(dir.path, "slots", 1), "warn");
  assert.match(said.join("\n"), /not removed yet/);
  const [aside, ...others] = await namesIn(dir.path);
  assert.match(aside, /^\.left-/);
  assert.deepEqual(others, []);
  await removeOrSetAside(dir.path, aside);
  assert.deepEqual(await namesIn(dir.path), []);
});

needsRoot("the displays' folder is made safe again, whatever was done to it", async () => {
  await using dir = await tempDir();
  const folder = join(dir.path, ".X11-unix");
  await makeSocketFolder(folder);
  const undo: Record<string, () => Promise<void>> = {
    "open to all": () => Deno.chmod(folder, 0o777),
    "to a group": () => Deno.chmod(folder, 0o770),
    "gone": () => Deno.remove(folder),
    "another user's": () => Deno.chown(folder, 65_534, 65_534),
  };
  await logged(async () => {
    for (const [name, action] of Object.entries(undo)) {
      await action();
      const looks = [await keepSocketFolder(folder), await keepSocketFolder(folder)];
      assert.deepEqual([looks, Deno.lstatSync(folder).mode! & 0o7777], [[true, false], 0o1777], name);
    }
  });
  await Deno.remove(folder);
  await Deno.symlink("/tmp", folder);
  await assert.rejects(keepSocketFolder(folder), /is not a folder/);
});

needsRoot(
  "a link in the place of the displays' folder is neither followed nor opened to everybody",
  async () => {
    await using dir = await tempDir();
    const [folder, roots] = [join(dir.path, ".X11-unix"), join(dir.path, "roots")];
    await Deno.mkdir(roots, { mode: 0o700 });
    await Deno.symlink(roots, folder);
    await assert.rejects(makeSocketFolder(folder), /is not a folder/);
    assert.equal(Deno.lstatSync(roots).mode! & 0o7777, 0o700);
    // put there between the look and the making
    const { lstat, mkdir } = Deno;
    await Deno.remove(folder);
    const put = () => Deno.symlink(roots, folder).catch(() => {});
    Deno.mkdir = async (path, options) => {
      await put();
      await mkdir(path, options);
    };
    Deno.lstat = async (path) => {
      const found = await lstat(path).catch((error) => error);
      await put();
      if (found instanceof Error) throw found;
      return found;
    };
    await assert.rejects(makeSocketFolder(folder).finally(() => Object.assign(Deno, { lstat, mkdir })));
    assert.equal(Deno.lstatSync(roots).mode! & 0o7777, 0o700);
  },
);
