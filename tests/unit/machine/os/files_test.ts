import assert from "node:assert/strict";
import { join } from "node:path";
import {
  ensureFolder,
  type FolderRights,
  giveTo,
  giveTree,
  KeptFolders,
  readBytesOrNull,
  readOrNull,
  writeFileAtomic,
  writeIfChanged,
} from "../../../../lib/machine/os/files.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { namesIn, tempDir } from "../../../support/fixture.ts";

Deno.test("a file is replaced whole, with its mode, and nothing else is left", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "list.json");
  for (const content of ["old", "ü".repeat(300_000), ""]) {
    await writeFileAtomic(path, content, 0o600);
    assert.equal(await Deno.readTextFile(path), content);
    assert.deepEqual(await namesIn(dir.path), ["list.json"]);
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  }
});

Deno.test("the order is: write, fsync, rename, fsync of the folder", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "list.json");
  const steps: string[] = [];
  const { rename } = Deno;
  const { write, sync } = Deno.FsFile.prototype;
  Deno.FsFile.prototype.write = function (bytes) {
    steps.push("write");
    return write.call(this, bytes);
  };
  Deno.FsFile.prototype.sync = function () {
    steps.push("fsync");
    return sync.call(this);
  };
  Deno.rename = (from, to) => {
    steps.push(`rename to ${to === path ? "list.json" : to}`);
    return rename(from, to);
  };
  try {
    await writeFileAtomic(path, "x");
  } finally {
    Object.assign(Deno.FsFile.prototype, { write, sync });
    Deno.rename = rename;
  }
  assert.deepEqual(steps, ["write", "fsync", "rename to list.json", "fsync"]);
});

Deno.test("a failure before the rename leaves the old file and no temporary one", async () => {
  const { rename } = Deno;
  const { sync } = Deno.FsFile.prototype;
  const fail = () => Promise.reject(new Error("disk full"));
  for (const step of ["sync", "rename"]) {
    await using dir = await tempDir();
    const path = join(dir.path, "list.json");
    await writeFileAtomic(path, "old");
    if (step === "sync") Deno.FsFile.prototype.sync = fail;
    else Deno.rename = fail;
    try {
      await assert.rejects(writeFileAtomic(path, "new"), /disk full/);
    } finally {
      Deno.FsFile.prototype.sync = sync;
      Deno.rename = rename;
    }
    assert.deepEqual([await Deno.readTextFile(path), await namesIn(dir.path)], ["old", ["list.json"]], step);
  }
});

Deno.test("a write where no folder is fails", async () => {
  await using dir = await tempDir();
  await assert.rejects(writeFileAtomic(join(dir.path, "gone/list.json"), "x"), Deno.errors.NotFound);
});

Deno.test("writes at the same time: one of them is there, whole", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "list.json");
  const contents = Array.from({ length: 20 }, (_, at) => String(at).repeat(10_000));
  await Promise.all(contents.map((content) => writeFileAtomic(path, content)));
  assert.ok(contents.includes(await Deno.readTextFile(path)));
  assert.deepEqual(await namesIn(dir.path), ["list.json"]);
});

Deno.test("an equal file is not written again", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "a.conf");
  assert.deepEqual([await writeIfChanged(path, "a"), await writeIfChanged(path, "a")], [true, false]);
  assert.deepEqual([await writeIfChanged(path, "b"), await Deno.readTextFile(path)], [true, "b"]);
});

Deno.test("a missing file is null; other errors are thrown", async () => {
  await using dir = await tempDir();
  for (const read of [readOrNull, readBytesOrNull]) {
    assert.equal(await read(join(dir.path, "none")), null);
    await assert.rejects(read(dir.path), /is not a regular file/);
    assert.notEqual(await read("/proc/self/status"), null);
  }
});

Deno.test("a file that never ends, or is too long, is not read", async () => {
  await using dir = await tempDir();
  const [link, long] = [join(dir.path, "link"), join(dir.path, "long")];
  await Deno.symlink("/dev/zero", link);
  await Deno.writeTextFile(long, "");
  await Deno.truncate(long, 64 * 1024 ** 2 + 1);
  for (const read of [readOrNull, readBytesOrNull]) {
    await assert.rejects(read(link), /is not a regular file/);
    await assert.rejects(read(long), /has more than 64 MiB/);
  }
});

Deno.test("a folder gets its mode, even when it is there already", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "a/b");
  for (const mode of [0o755, 0o700]) {
    await ensureFolder(path, mode, { uid: Deno.uid()!, gid: Deno.gid()! });
    assert.equal((await Deno.stat(path)).mode! & 0o777, mode);
  }
});

Deno.test({
  name: "no link is given away or gets a mode, nor what a link in its place leads to [needs root]",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    await using dir = await tempDir();
    const [path, roots] = [join(dir.path, "streams"), join(dir.path, "roots")];
    const rights = (of: string) => {
      const { uid, gid, mode } = Deno.lstatSync(of);
      return [uid, gid, mode! & 0o7777];
    };
    const web = { uid: 60_600, gid: 60_600 };
    await Deno.mkdir(roots, { mode: 0o750 });
    await Deno.symlink(roots, path);
    await assert.rejects(ensureFolder(path, 0o700, web), /streams is a link/);
    await assert.rejects(ensureFolder(path, 0o700), /streams is a link/);
    await assert.rejects(giveTo(web, path), /streams is a link/);
    await assert.rejects(giveTo(web, join(dir.path, "none")), Deno.errors.NotFound);
    assert.deepEqual(rights(roots), [0, 0, 0o750]);
    // the operator's own link, where the caller says so
    await ensureFolder(path, 0o755, undefined, "followed");
    assert.deepEqual(rights(roots), [0, 0, 0o755]);
    // a link that is put there between the look and the change
    for (const name of ["chown", "chmod"] as const) {
      await Deno.remove(path);
      const change = Deno[name] as (...given: unknown[]) => Promise<void>;
      const swapBefore = async (...given: unknown[]) => {
        await Deno.remove(path);
        await Deno.symlink(roots, path);
        await change(...given);
      };
      Object.assign(Deno, { [name]: swapBefore });
      await ensureFolder(path, 0o700, web).finally(() => Object.assign(Deno, { [name]: change }));
      assert.deepEqual(rights(roots), [0, 0, 0o755], name);
    }
  },
});

Deno.test({
  name: "a tree changes hands without links, and without what belongs to others [needs root]",
  ignore: Deno.uid() !== 0,
  fn: async () => {
    await using dir = await tempDir();
    const [tree, outside] = [join(dir.path, "tree"), join(dir.path, "outside")];
    await Deno.mkdir(join(tree, "folder"), { recursive: true });
    await Deno.writeTextFile(join(tree, "folder/file"), "");
    await Deno.writeTextFile(outside, "");
    await Deno.symlink(outside, join(tree, "link"));
    await Deno.link(outside, join(tree, "hard link"));
    for (const name of ["", "folder", "folder/file"]) await Deno.chown(join(tree, name), 4711, 4711);
    await giveTree(tree, 4711, { name: "60600", uid: 60_600, gid: 60_600 });
    const owner = (path: string) => Deno.lstatSync(path).uid;
    assert.deepEqual(["", "folder", "folder/file"].map((name) => owner(join(tree, name))), [
      60_600,
      60_600,
      60_600,
    ]);
    assert.equal(owner(outside), 0);
    await Deno.chown(tree, 0, 0);
    await assert.rejects(
      giveTree(tree, 0, { name: "1", uid: 60_601, gid: 60_601 }),
      /hard link has more than one name/,
    );
    assert.equal(owner(tree), 0);
  },
});

Deno.test("the time of tests waits for a file that is read", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "long");
  await Deno.writeTextFile(path, "x".repeat(8 * 1024 * 1024));
  using clock = new FakeClock();
  let isRead = false;
  void readOrNull(path).then(() => isRead = true);
  await clock.advance(1);
  assert.ok(isRead);
});

Deno.test("folders get the rights again that they had; in no other thing's place", async () => {
  await using dir = await tempDir();
  const folders: FolderRights[] = [[join(dir.path, "a"), 0o700], [join(dir.path, "b"), 0o2750]];
  for (const [path, mode] of folders) await ensureFolder(path, mode);
  const kept = new KeptFolders(folders);
  assert.deepEqual([await kept.look(), await kept.look()], [false, false]);
  const undo: Record<string, () => Promise<void>> = {
    "for all": () => Deno.chmod(folders[0][0], 0o777),
    "without its group": () => Deno.chmod(folders[1][0], 0o750),
    "gone": () => Deno.remove(folders[1][0]),
  };
  for (const [name, action] of Object.entries(undo)) {
    await action();
    assert.deepEqual([await kept.look(), await kept.look()], [true, false], name);
  }
  await Deno.remove(folders[0][0]);
  await Deno.writeTextFile(folders[0][0], "no folder");
  await assert.rejects(kept.look());
  // a file system that takes no such mode says so at the start, and no more
  const other = new KeptFolders([[join(dir.path, "b"), 0o2751]]);
  assert.deepEqual([await other.look(), await other.look()], [false, false]);
});
