import assert from "node:assert/strict";
import { join } from "node:path";
import { streamId } from "../../../../lib/model/id.ts";
import {
  loadThumbnailTimes,
  readThumbnail,
  removeThumbnail,
  temporaryThumbnailFile,
  writeThumbnail,
} from "../../../../lib/live/picture/files.ts";
import { isThere, namesIn, tempDir } from "../../../support/fixture.ts";
import { logged } from "../../../support/logged.ts";

const jpeg = (mark: number) => Uint8Array.from([0xff, 0xd8, mark, 0xff, 0xd9]);

Deno.test("a thumbnail takes the place of the one before, and its file has its time and nobody else's eyes", async () => {
  await using dir = await tempDir();
  for (const [mark, capturedAt] of [[1, 1_700_000_000_123], [2, 1_700_000_060_456]]) {
    await writeThumbnail(dir.path, streamId("a"), { bytes: jpeg(mark), capturedAt });
    assert.deepEqual(await readThumbnail(dir.path, streamId("a"), capturedAt), {
      bytes: jpeg(mark),
      capturedAt,
    });
    const { mtime, mode } = await Deno.stat(join(dir.path, "a/thumb.jpg"));
    assert.deepEqual([mtime?.getTime(), mode! & 0o777], [capturedAt, 0o600]);
  }
  assert.deepEqual(await namesIn(join(dir.path, "a")), ["thumb.jpg"]);
  assert.equal((await Deno.stat(join(dir.path, "a"))).mode! & 0o777, 0o700);
  assert.equal(await readThumbnail(dir.path, streamId("b"), 1), null);
});

Deno.test("a thumbnail that cannot be written leaves the old one and no half of itself", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(join(dir.path, "a/thumb.jpg/in-the-way"), { recursive: true });
  await assert.rejects(writeThumbnail(dir.path, streamId("a"), { bytes: jpeg(1), capturedAt: 1000 }));
  assert.deepEqual(await namesIn(join(dir.path, "a")), ["thumb.jpg"]);
});

Deno.test("at a start known thumbnails are found, broken ones and those of gone streams removed, and no more", async () => {
  await using dir = await tempDir();
  for (const id of ["kept", "gone", "backup"].map(streamId)) {
    await writeThumbnail(dir.path, id, { bytes: jpeg(1), capturedAt: 5000 });
  }
  await writeThumbnail(dir.path, streamId("broken"), { bytes: jpeg(1).slice(0, 3), capturedAt: 5000 });
  for (const id of ["kept", "gone"].map(streamId)) {
    await Deno.writeTextFile(temporaryThumbnailFile(dir.path, id), "half");
  }
  await Deno.writeTextFile(join(dir.path, "backup/mine.txt"), "somebody's own");
  await Deno.mkdir(join(dir.path, "lost+found"));
  await Deno.writeTextFile(join(dir.path, "streams.json"), "[]");
  assert.deepEqual(
    await loadThumbnailTimes(dir.path, ["kept", "broken", "none"].map(streamId)),
    new Map([["kept", 5000]]),
  );
  assert.deepEqual(await namesIn(dir.path), ["backup", "kept", "lost+found", "streams.json"]);
  assert.deepEqual(await namesIn(join(dir.path, "kept")), ["thumb.jpg"]);
  assert.deepEqual(await namesIn(join(dir.path, "backup")), ["mine.txt"]);
});

Deno.test("a folder that cannot be read costs no other stream its thumbnail", async () => {
  await using dir = await tempDir();
  for (const id of ["a", "z"].map(streamId)) {
    await writeThumbnail(dir.path, id, { bytes: jpeg(1), capturedAt: 5000 });
  }
  await Deno.mkdir(join(dir.path, "odd/thumb.jpg"), { recursive: true });
  const lines = await logged(async () => {
    const times = await loadThumbnailTimes(dir.path, ["a", "odd", "z"].map(streamId));
    assert.deepEqual([...times.keys()].sort(), ["a", "z"]);
  });
  assert.match(lines.join(), /odd/);
});

Deno.test("removing what is not there is fine", async () => {
  await using dir = await tempDir();
  await removeThumbnail(dir.path, streamId("a"));
  await writeThumbnail(dir.path, streamId("a"), { bytes: jpeg(1), capturedAt: 1 });
  await removeThumbnail(dir.path, streamId("a"));
  assert.equal(await isThere(join(dir.path, "a")), false);
});
