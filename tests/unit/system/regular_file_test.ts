import assert from "node:assert/strict";
import { join } from "node:path";
import { openRegular, readRange, regularFile } from "../../../lib/system/regular_file.ts";
import { tempDir } from "../../support/fixture.ts";

Deno.test("a file is opened; nothing, folders and links are not", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "file");
  await Deno.writeTextFile(path, "0123456789");
  await Deno.symlink(path, join(dir.path, "link"));
  await Deno.mkdir(join(dir.path, "folder"));
  for (const name of ["none", "link", "folder", "file/below"]) {
    assert.equal(await regularFile(join(dir.path, name)), null, name);
    assert.equal(await openRegular(join(dir.path, name)), null, name);
  }
  using file = await openRegular(path);
  const read = async (from: number, to: number) => new TextDecoder().decode(await readRange(file!, from, to));
  assert.deepEqual([await read(2, 5), await read(8, 99), await read(20, 30), await read(5, 5)], [
    "234",
    "89",
    "",
    "",
  ]);
});

Deno.test("what becomes a link between the look and the opening is not opened", async () => {
  await using dir = await tempDir();
  const [path, secret] = [join(dir.path, "file"), join(dir.path, "secret")];
  await Deno.writeTextFile(path, "harmless");
  await Deno.writeTextFile(secret, "s3cret");
  const { lstat } = Deno;
  Deno.lstat = async (looked) => {
    const info = await lstat(looked);
    await Deno.remove(path);
    await Deno.symlink(secret, path);
    return info;
  };
  try {
    assert.equal(await openRegular(path), null);
  } finally {
    Deno.lstat = lstat;
  }
});
