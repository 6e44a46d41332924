import assert from "node:assert/strict";
import { ServiceError } from "../../../../lib/errors.ts";
import { planWallImport } from "../../../../lib/model/wall/backup.ts";
import { MAX_WALLS, storedWall, type Wall } from "../../../../lib/model/wall/wall.ts";

const lobby = storedWall.parse({
  id: "lobby",
  name: "Lobby",
  rows: 1,
  columns: 2,
  revision: 3,
  future: [1],
  slots: [{ row: 1, column: 1, stream: "clock" }, { row: 1, column: 2, stream: "gone" }],
});
const hall = storedWall.parse({ id: "hall", name: "Hall" });
const hasClock = (id: string) => id === "clock";
const copy = (content: unknown) => JSON.parse(JSON.stringify(content));

Deno.test("walls come back as they were exported, a changed one counts a change, and the others stay", () => {
  const file = copy({ streams: [], walls: [lobby, hall] });
  const same = planWallImport(file, [lobby, hall], hasClock);
  assert.deepEqual(same.summary, { added: [], changed: [], unchanged: ["lobby", "hall"] });
  assert.deepEqual(same.walls, [lobby, hall]);
  const added = planWallImport(file, [], hasClock);
  assert.deepEqual(added.summary.added, [
    { id: "lobby", name: "Lobby", missing: ["gone"] },
    { id: "hall", name: "Hall" },
  ]);
  assert.deepEqual(added.walls, [{ ...lobby, revision: 0 }, hall]);
  const ours = { ...lobby, rows: 2, name: "Entrance", own: true, revision: 7 };
  const { summary, walls } = planWallImport(file, [ours, { ...hall, id: "other" }], () => true);
  assert.deepEqual(summary.changed, [{ id: "lobby", name: "Lobby", fields: ["name", "rows"] }]);
  assert.deepEqual(walls.map(({ id }) => id), ["lobby", "other", "hall"]);
  // what only the service knows stays
  assert.deepEqual(walls[0], { ...lobby, own: true, revision: 8 });
});

Deno.test("a file without walls, or with a stream of that id, changes no wall", () => {
  for (
    const content of [null, [], { streams: [] }, { walls: { name: "Walls", url: "https://a.example/" } }]
  ) {
    const plan = planWallImport(content, [lobby], hasClock);
    assert.equal(plan.walls.length, 1, JSON.stringify(content));
    assert.deepEqual(plan.summary, { added: [], changed: [], unchanged: [] });
  }
});

Deno.test("bad walls are refused with every problem, at their place in the file", () => {
  const refused = (walls: unknown[], ours: readonly Wall[] = []) => {
    try {
      planWallImport({ walls }, ours, hasClock);
    } catch (error) {
      if (error instanceof ServiceError) {
        return Object.keys(error.fields!).length > 0 ? Object.keys(error.fields!) : error.message;
      }
      throw error;
    }
    throw new assert.AssertionError({ message: "nothing was refused" });
  };
  const over = [{ row: 1, column: 1 }, { row: 1, column: 1 }];
  assert.deepEqual(
    refused([
      ...["text", null, { ...copy(hall), rows: 9 }, { name: "No id" }, copy(hall), copy(hall)],
      ...[{ id: "over", name: "Over", slots: over }, { id: "new", name: "New" }],
    ]),
    [
      ...["wall 1", "wall 2", "wall 3 (Hall): rows", "wall 4 (No id): id", "wall 6 (Hall): id"],
      ...["wall 7 (Over): slots", "wall 8 (New): id"],
    ],
  );
  let deep: unknown = 1;
  for (let level = 0; level < 40; level++) deep = [deep];
  assert.deepEqual(refused([{ ...copy(hall), deep }]), ["wall 1 (Hall)"]);
  const many = Array.from({ length: MAX_WALLS }, (_, at) => ({ ...hall, id: `w${at}` }));
  assert.match(String(refused([copy(lobby)], many)), /more than 100 walls/);
});
