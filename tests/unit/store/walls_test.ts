import assert from "node:assert/strict";
import { join } from "node:path";
import { WallFileError } from "../../../lib/model/wall/file.ts";
import { Walls } from "../../../lib/store/walls.ts";
import { tempDir } from "../../support/fixture.ts";

Deno.test("walls outlive a restart with all their fields, for their owner alone", async () => {
  await using dir = await tempDir("/dev/shm");
  const path = join(dir.path, "walls.json");
  const slot = { row: 1, column: 1, stream: "news", label: "theirs" };
  await Deno.writeTextFile(
    path,
    JSON.stringify({ version: 7, walls: [{ id: "a", name: "A", x: [1], slots: [slot] }] }),
  );
  const walls = await Walls.open(path);
  const made = await walls.create({ name: "B" });
  await walls.update("a", { name: "Other" }, true);
  const { version, walls: [a, b] } = JSON.parse(await Deno.readTextFile(path));
  assert.deepEqual([version, a.name, a.x, a.slots[0].label, b.id], [7, "Other", [1], "theirs", "b"]);
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  const again = await Walls.open(path);
  assert.deepEqual(again.list().map(({ id }) => id), ["a", made.id]);
  await again.remove("a");
  await assert.rejects(again.remove("a"), /no wall "a"/);
  await assert.rejects(again.update("a", { name: "x" }, true), /no wall "a"/);
});

Deno.test("a file of walls that cannot be read says where, and stays as it is", async () => {
  await using dir = await tempDir("/dev/shm");
  const path = join(dir.path, "walls.json");
  const cases: [string, RegExp][] = [
    ["{", /not valid JSON/],
    ["[]", /no list "walls"/],
    ['{"walls":[{"id":"a","name":"A","rows":9}]}', /entry 1, field "rows": The number of rows must be/],
    ['{"walls":[{"id":"a","name":"A"},{"id":"a","name":"B"}]}', /two walls have one id/],
  ];
  for (const [text, problem] of cases) {
    await Deno.writeTextFile(path, text);
    await assert.rejects(Walls.open(path), (error) => {
      assert.ok(error instanceof WallFileError);
      assert.match(error.message, problem);
      return true;
    });
    assert.equal(await Deno.readTextFile(path), text);
  }
});
