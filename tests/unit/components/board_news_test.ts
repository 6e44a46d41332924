import { strict as assert } from "node:assert";
import { aged, withNews } from "../../../components/board/boardNews.ts";
import { newsOf } from "../../../components/stream/oneStream.ts";
import type { BoardState } from "../../../components/board/boardState.ts";
import type { StreamState } from "../../../lib/model/answers/status.ts";
import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";

const aStatus = (id: string, state: StreamState, more: Partial<StreamStatus> = {}): StreamStatus => ({
  id,
  state,
  programs: [],
  ...more,
});

const BOARD: BoardState = {
  streams: [],
  statuses: { a: aStatus("a", "stopped", { thumbAt: 1 }), b: aStatus("b", "running") },
  pending: [],
};
const nothing = () => false;

Deno.test("the board takes over what it is told, in its order", () => {
  const { board, isWhole, version } = withNews(BOARD, [
    { name: "status", data: aStatus("a", "starting") },
    { name: "status", data: aStatus("a", "running") },
    { name: "thumbnail", data: { id: "b", thumbAt: 9 } },
    { name: "thumbnail", data: { id: "gone", thumbAt: 9 } },
    { name: "list", data: { version: "v2" } },
  ], nothing);
  assert.deepEqual(board.statuses, {
    a: aStatus("a", "running"),
    b: aStatus("b", "running", { thumbAt: 9 }),
  });
  assert.deepEqual([isWhole, version], [true, "v2"]);
  assert.equal(BOARD.statuses.a.state, "stopped", "the board before is as it was");
});

Deno.test("what this page is doing with a stream stays, and is asked for later", () => {
  const isEdited = (id: string) => id === "a";
  const one = withNews(BOARD, [{ name: "status", data: aStatus("a", "failed") }], isEdited);
  assert.deepEqual([one.board.statuses.a.state, one.isWhole], ["stopped", false]);
  const statuses = { a: aStatus("a", "failed"), b: aStatus("b", "degraded") };
  const all = withNews(BOARD, [{ name: "state", data: { version: "v1", statuses } }], isEdited);
  assert.deepEqual([all.board.statuses.a.state, all.board.statuses.b.state], ["stopped", "degraded"]);
  assert.deepEqual([all.isWhole, all.version], [false, "v1"]);
});

Deno.test("while nothing is told, what runs has run for longer", () => {
  const program = { name: "encoder", state: "RUNNING" as const, pid: 7, uptime: 10 };
  const stopped = { ...program, uptime: 0 };
  const board = { ...BOARD, statuses: { b: aStatus("b", "running", { programs: [program, stopped] }) } };
  assert.deepEqual(aged(board, 3).statuses.b.programs.map(({ uptime }) => uptime), [13, 0]);
});

Deno.test("the page of one stream is told of that stream, and of the list's version", () => {
  const [a, b] = [aStatus("a", "running"), aStatus("b", "failed")];
  assert.deepEqual(
    newsOf("b", [
      { name: "state", data: { version: "v1", statuses: { a, b } } },
      { name: "status", data: a },
      { name: "thumbnail", data: { id: "a", thumbAt: 1 } },
      { name: "thumbnail", data: { id: "b", thumbAt: 2 } },
      { name: "list", data: { version: "v2" } },
      { name: "status", data: b },
    ]),
    [
      { name: "state", data: { version: "v1", statuses: { b } } },
      { name: "thumbnail", data: { id: "b", thumbAt: 2 } },
      { name: "list", data: { version: "v2" } },
      { name: "status", data: b },
    ],
  );
  const gone = newsOf("constructor", [{ name: "state", data: { version: "v1", statuses: { a } } }]);
  assert.deepEqual(gone, [{ name: "state", data: { version: "v1", statuses: {} } }]);
});
