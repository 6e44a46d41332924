/** Which pieces stay: by a budget of all streams, by their age, and only as long as there is room for everything else. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { namesIn } from "../../../../lib/machine/os/files.ts";
import { streamId } from "../../../../lib/model/id.ts";
import { NO_CHANGE } from "../../../../lib/rewind/recorder/piece.ts";
import { Shelf, type ShelfLimits } from "../../../../lib/rewind/recorder/shelf.ts";
import { tempDir } from "../../../support/fixture.ts";

const NOW = 1_764_460_800;
const HOUR = 3600;
const SIZE = { width: 320, height: 180 };
const SETS = { sequence: Uint8Array.of(103, 100, 0, 31), picture: Uint8Array.of(104) };
const ROOM = { totalBytes: 100e9, freeBytes: 50e9, totalFiles: 0, freeFiles: 0 };
const LIMITS: ShelfLimits = {
  bytes: 1e9,
  taken: () => Promise.resolve(0),
  seconds: 24 * HOUR,
  leastFree: { leastFreeMb: 500, leastFreePercent: 10 },
};
const [ASH, BIRCH] = ["ash", "birch"].map(streamId);

const openShelf = (folder: string, limits: Partial<ShelfLimits> = {}, space = ROOM) =>
  Shelf.open(folder, { ...LIMITS, ...limits }, () => Promise.resolve(space));

/** A piece with one picture of so many bytes, which ends a second after its start. */
async function put(shelf: Shelf, id: typeof ASH, start: number, bytes: number): Promise<void> {
  const piece = await shelf.begin(id, start, SIZE, SETS);
  await piece.add(start, new Uint8Array(bytes), NO_CHANGE);
  await shelf.close(piece);
}

/** What is there of a stream, as the starts of its pieces. */
async function startsOf(folder: string, id: string): Promise<number[]> {
  const names = (await namesIn(join(folder, id))).filter((name) => name.endsWith(".mkv"));
  return names.map((name) => Number(name.slice(9, -4)) - NOW).sort((one, other) => one - other);
}

Deno.test("shelf: the oldest of all streams go first when there are more than the budget", async () => {
  await using dir = await tempDir();
  const shelf = await openShelf(dir.path, { bytes: 10e6 });
  for (const [at, id] of [ASH, BIRCH, ASH, BIRCH, ASH].entries()) await put(shelf, id, NOW + at, 3e6);
  await shelf.tidy(NOW + 5);
  assert.deepEqual([await startsOf(dir.path, ASH), await startsOf(dir.path, BIRCH)], [[2, 4], [3]]);
});

Deno.test("shelf: what is older than its hours goes, and a stream's folder with its last piece", async () => {
  await using dir = await tempDir();
  const shelf = await openShelf(dir.path);
  await put(shelf, ASH, NOW, 1000);
  await put(shelf, BIRCH, NOW, 1000);
  await put(shelf, BIRCH, NOW + 2 * HOUR, 1000);
  await shelf.tidy(NOW + 25 * HOUR);
  assert.deepEqual(await namesIn(dir.path), [BIRCH]);
  assert.deepEqual(await startsOf(dir.path, BIRCH), [2 * HOUR]);
});

Deno.test("shelf: a budget of nothing removes all; a piece that is written stays until it is closed", async () => {
  await using dir = await tempDir();
  const shelf = await openShelf(dir.path, { bytes: 0 });
  await put(shelf, ASH, NOW, 1000);
  const open = await shelf.begin(ASH, NOW + 10, SIZE, SETS);
  await shelf.tidy(NOW + 11);
  assert.deepEqual(await startsOf(dir.path, ASH), [10]);
  await open.add(NOW + 10, new Uint8Array(10), NO_CHANGE);
  await shelf.close(open);
  await shelf.tidy(NOW + 12);
  assert.deepEqual(await namesIn(dir.path), []);
});

Deno.test("shelf: another one knows what an earlier one has kept, in its order, and counts on", async () => {
  await using dir = await tempDir();
  const first = await openShelf(dir.path);
  for (const at of [0, 1, 2]) await put(first, ASH, NOW + at, 3e6);
  for (const [at, name] of (await namesIn(join(dir.path, ASH))).sort().entries()) {
    const time = NOW + Math.floor(at / 2);
    await Deno.utime(join(dir.path, ASH, name), time, time);
  }
  await Deno.writeTextFile(join(dir.path, ASH, "notes.txt"), "somebody's");
  const second = await openShelf(dir.path, { bytes: 7e6 });
  await put(second, ASH, NOW + 3, 1000);
  await second.tidy(NOW + 4);
  assert.deepEqual(await startsOf(dir.path, ASH), [1, 2, 3]);
  const names = (await namesIn(join(dir.path, ASH))).map((name) => name.slice(0, 8)).sort();
  assert.deepEqual(names, [
    "00000002",
    "00000002",
    "00000003",
    "00000003",
    "00000004",
    "00000004",
    "notes.tx",
  ]);
});

Deno.test("shelf: the room of a deleted stream's pieces is free for others", async () => {
  await using dir = await tempDir();
  const shelf = await openShelf(dir.path, { bytes: 7e6 });
  await put(shelf, BIRCH, NOW, 3e6);
  await put(shelf, ASH, NOW + 1, 3e6);
  await Deno.remove(join(dir.path, ASH), { recursive: true });
  await put(shelf, BIRCH, NOW + 2, 3e6);
  await shelf.tidy(NOW + 3);
  assert.deepEqual(await startsOf(dir.path, BIRCH), [0, 2]);
});

Deno.test("shelf: without a budget it is five hundredths of the disk", async () => {
  await using dir = await tempDir();
  const shelf = await openShelf(dir.path, { bytes: null }, { ...ROOM, totalBytes: 100e6, freeBytes: 90e6 });
  for (const at of [0, 1]) await put(shelf, ASH, NOW + at, 3e6);
  await shelf.tidy(NOW + 2);
  assert.deepEqual(await startsOf(dir.path, ASH), [1]);
});

Deno.test("shelf: a piece without a picture leaves nothing, and its name is free", async () => {
  await using dir = await tempDir();
  const shelf = await openShelf(dir.path);
  await shelf.close(await shelf.begin(ASH, NOW, SIZE, SETS));
  assert.deepEqual(await namesIn(dir.path), []);
  await put(shelf, ASH, NOW, 10);
  assert.deepEqual(await startsOf(dir.path, ASH), [0]);
});
