import assert from "node:assert/strict";
import { join } from "node:path";
import { makeFifo } from "../../../../lib/machine/os/fifo.ts";
import { openRegular, readRange, regularFile } from "../../../../lib/machine/os/regular_file.ts";
import { tempDir } from "../../../support/fixture.ts";

Deno.test("a file is opened; nothing, folders and links are not", async () => {
  await using dir = await tempDir();
  const path = join(dir.path, "file");
  await Deno.writeTextFile(path, "0123456789");
  await Deno.symlink(path, join(dir.path, "link"));
  await Deno.mkdir(join(dir.path, "folder"));
  for (const name of ["none", "link", "folder", "file/below"]) {
    assert.equal(await regularFile(join(dir.path, name)), null, name);
    assert.equal(openRegular(join(dir.path, name)), null, name);
  }
  using file = openRegular(path);
  const read = async (from: number, to: number) => new TextDecoder().decode(await readRange(file!, from, to));
  assert.deepEqual([await read(2, 5), await read(8, 99), await read(20, 30), await read(5, 5)], [
    "234",
    "89",
    "",
    "",
  ]);
});

Deno.test("what is put in its place between the look and the opening is not opened", async () => {
  await using dir = await tempDir();
  const [path, secret] = [join(dir.path, "file"), join(dir.path, "secret")];
  await Deno.writeTextFile(path, "harmless");
  await Deno.writeTextFile(secret, "s3cret");
  const { statSync } = Deno;
  Deno.statSync = (looked) => {
    const info = statSync(looked);
    Deno.removeSync(path);
    Deno.symlinkSync(secret, path);
    return info;
  };
  try {
    using file = openRegular(path);
    assert.equal(new TextDecoder().decode(await readRange(file!, 0, 99)), "harmless");
  } finally {
    Deno.statSync = statSync;
  }
});

Deno.test("a pipe keeps nobody waiting; a link is followed where it may be", async () => {
  await using dir = await tempDir();
  const [path, link, pipe] = ["file", "link", "pipe"].map((name) => join(dir.path, name));
  await Deno.writeTextFile(path, "text");
  await Deno.symlink(path, link);
  await makeFifo(pipe, 0o600);
  assert.deepEqual([openRegular(pipe), openRegular(pipe, "followed"), openRegular(link)], [null, null, null]);
  using file = openRegular(link, "followed");
  assert.equal(new TextDecoder().decode(await readRange(file!, 0, 99)), "text");
});
