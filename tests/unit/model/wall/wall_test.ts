import assert from "node:assert/strict";
import { ServiceError } from "../../../../lib/errors.ts";
import { changedWall, MAX_WALLS, type Wall, wallFromBody } from "../../../../lib/model/wall/wall.ts";

function problemsOf(run: () => unknown): Record<string, string> {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof ServiceError);
    return error.fields && Object.keys(error.fields).length > 0 ? error.fields : { "": error.message };
  }
  throw new Error("it was taken");
}

const body = {
  name: " Control\nroom ",
  rows: 2,
  columns: 3,
  slots: [{ row: 1, column: 1, rowSpan: 2, columnSpan: 2, stream: "news" }, {
    row: 2,
    column: 3,
    stream: "clock",
  }],
};

Deno.test("a wall gets an id of its name, and what is not said its default", () => {
  const wall = wallFromBody(body, []);
  assert.equal(wall.id, "control-room");
  assert.equal(wall.name, "Control room");
  assert.deepEqual([wall.showNames, wall.revision], [true, 0]);
  assert.deepEqual(wall.slots[1], { row: 2, column: 3, rowSpan: 1, columnSpan: 1, stream: "clock" });
  const empty = wallFromBody({ name: "Empty" }, [wall]);
  assert.deepEqual([empty.rows, empty.columns, empty.slots], [2, 2, []]);
});

Deno.test("no two walls have one id, and none that of the wall of all running streams", () => {
  const first = wallFromBody({ name: "Lobby" }, []);
  assert.equal(wallFromBody({ name: "Lobby" }, [first]).id, "lobby-2");
  assert.equal(wallFromBody({ name: "Running" }, []).id, "running-2");
});

Deno.test("what is wrong with a wall is said by field", () => {
  const slots = (...list: unknown[]) => ({ name: "Lobby", slots: list });
  const cases: [unknown, string, RegExp][] = [
    [{}, "name", /A name is needed/],
    [{ name: "x".repeat(61) }, "name", /at most 60/],
    [{ name: "Lobby", rows: 0 }, "rows", /whole number from 1 to 6/],
    [{ name: "Lobby", columns: 7 }, "columns", /whole number from 1 to 6/],
    [{ name: "Lobby", showNames: "yes" }, "showNames", /true or false/],
    [{ name: "Lobby", slots: {} }, "slots", /a list such as/],
    [slots("news"), "slots", /A slot is an object/],
    [slots({ row: 1, column: 1, stream: "../x" }), "slots", /an id such as/],
    [slots({ row: 3, column: 1 }), "slots", /row 3, column 1 is not inside of 2 rows/],
    [slots({ row: 2, column: 2, columnSpan: 2 }), "slots", /not inside/],
    [slots({ row: 1, column: 1, rowSpan: 2 }, { row: 2, column: 1 }), "slots", /row 2, column 1 lies over/],
    [[], "", /JSON object/],
    [{ name: "Lobby", other: Array(500).fill(1) }, "", /more than 400 values/],
  ];
  for (const [given, field, problem] of cases) {
    assert.match(problemsOf(() => wallFromBody(given, []))[field] ?? "", problem, JSON.stringify(given));
  }
  const many = Array.from({ length: MAX_WALLS }, (_, at) => ({ id: `w${at}` }) as Wall);
  assert.match(problemsOf(() => wallFromBody({ name: "More" }, many))[""], /There are 100 walls/);
});

Deno.test("a change keeps other tools' fields, and a PATCH what it does not name", () => {
  const wall = wallFromBody({ ...body, theirs: { a: 1 } }, []);
  const renamed = changedWall(wall, { name: "Other" }, true);
  assert.deepEqual(renamed, { ...wall, name: "Other", revision: 1 });
  const replaced = changedWall(renamed, { name: "New", revision: 1 }, false);
  assert.deepEqual([replaced.rows, replaced.columns, replaced.slots, replaced.id], [
    2,
    2,
    [],
    "control-room",
  ]);
});

Deno.test("a change of what was changed meanwhile is refused with what is stored, and so is another id", () => {
  const wall = { ...wallFromBody(body, []), revision: 3 };
  assert.throws(() => changedWall(wall, { name: "Other", revision: 2 }, true), (error) => {
    assert.ok(error instanceof ServiceError);
    assert.deepEqual([error.status, error.extra], [409, { current: wall }]);
    return true;
  });
  assert.match(problemsOf(() => changedWall(wall, { id: "other" }, true)).id, /cannot be changed/);
  assert.match(problemsOf(() => changedWall(wall, { revision: "3" }, true)).revision, /the number/);
});
