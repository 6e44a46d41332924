import assert from "node:assert/strict";
import { join } from "node:path";
import { migrateStreamFile } from "../../../lib/store/migrate.ts";
import { FileStreamStore } from "../../../lib/store/file_streams.ts";
import { isThere, tempDir } from "../../support/fixture.ts";

const LIST = '[{"id": "a", "name": "A", "url": "https://a", "pass": "secret"}]';

async function locations(oldText?: string) {
  const dir = await tempDir();
  const [old, path] = [join(dir.path, "streams.json"), join(dir.path, "streams/streams.json")];
  await Deno.mkdir(join(dir.path, "streams"));
  if (oldText !== undefined) await Deno.writeTextFile(old, oldText);
  return { dir, old, path };
}

Deno.test("the list moves to its path; the old file is kept under another name", async () => {
  const { dir, old, path } = await locations(LIST);
  await using _ = dir;
  assert.equal(await migrateStreamFile(old, path), true);
  assert.deepEqual([await Deno.readTextFile(path), await Deno.readTextFile(`${old}.migrated`)], [LIST, LIST]);
  assert.deepEqual([await isThere(old), (await Deno.stat(path)).mode! & 0o777], [false, 0o600]);
  assert.equal(await migrateStreamFile(old, path), false);
});

Deno.test("the folder of the new path may be missing: `up` makes it later", async () => {
  const { dir, old, path } = await locations(LIST);
  await using _ = dir;
  await Deno.remove(join(dir.path, "streams"));
  assert.equal(await migrateStreamFile(old, path), true);
  assert.equal(await Deno.readTextFile(path), LIST);
});

Deno.test("without an old list there is nothing to do", async () => {
  const { dir, old, path } = await locations();
  await using _ = dir;
  assert.equal(await migrateStreamFile(old, path), false);
  assert.equal(await isThere(path), false);
});

Deno.test("a list that is there is never replaced", async () => {
  const { dir, old, path } = await locations(LIST);
  await using _ = dir;
  await Deno.writeTextFile(path, "[]");
  await migrateStreamFile(old, path);
  assert.equal(await Deno.readTextFile(path), "[]");
});

Deno.test("after a crash between the two steps the list is whole, however often it starts", async () => {
  const { dir, old, path } = await locations(LIST);
  await using _ = dir;
  await Deno.writeTextFile(path, LIST); // the crash: the new file is written, the old one not yet renamed
  for (let start = 0; start < 2; start++) {
    await migrateStreamFile(old, path);
    assert.deepEqual((await FileStreamStore.open(path)).list().map(({ id }) => id), ["a"]);
  }
  const kept = await isThere(old) ? old : `${old}.migrated`;
  assert.equal(await Deno.readTextFile(kept), LIST);
});

Deno.test("a crash before the rename of the new file repeats the move", async () => {
  const { dir, old, path } = await locations(LIST);
  await using _ = dir;
  await Deno.writeTextFile(join(dir.path, "streams/.streams.json.0badc0de.tmp"), "[{");
  assert.equal(await migrateStreamFile(old, path), true);
  assert.equal(await Deno.readTextFile(path), LIST);
});

Deno.test("a link in the old list's place is left alone: it may lead to a file of somebody else's", async () => {
  const { dir, old, path } = await locations();
  await using _ = dir;
  const other = join(dir.path, "other");
  await Deno.writeTextFile(other, LIST);
  await Deno.chmod(other, 0o644);
  await Deno.symlink(other, old);
  assert.equal(await migrateStreamFile(old, path), false);
  assert.deepEqual([await isThere(path), (await Deno.stat(other)).mode! & 0o777], [false, 0o644]);
});
