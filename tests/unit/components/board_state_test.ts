import { strict as assert } from "node:assert";
import {
  type BoardState,
  duration,
  inOrder,
  mergePoll,
  moved,
  movedAmong,
  placedBefore,
  stateCounts,
  statusOf,
} from "../../../components/board/boardState.ts";
import type { PublicStream } from "../../../lib/model/schema.ts";
import type { StreamState } from "../../../lib/model/answers/status.ts";
import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";

const stream = (id: string, name = id) => ({ id, name, desiredState: "running" } as PublicStream);
const status = (id: string, state: StreamState): StreamStatus => ({ id, state, programs: [] });
const board = (...ids: string[]): BoardState => ({
  streams: ids.map((id) => stream(id)),
  statuses: {},
  pending: [],
});
const ids = ({ streams }: BoardState) => streams.map(({ id }) => id).join("");
const nothing = { hasStream: () => false, hasOrder: false };

Deno.test("a poll brings what others did: new streams, deletions and their order", () => {
  assert.equal(ids(mergePoll(board("a", "b", "c"), board("c", "d", "a"), nothing)), "cda");
});

Deno.test("a poll that is older than what was done here does not undo it", () => {
  const edited = (...mine: string[]) => ({ hasStream: (id: string) => mine.includes(id), hasOrder: false });
  assert.equal(ids(mergePoll(board("a", "new"), board("a"), edited("new"))), "anew", "an added one stays");
  assert.equal(
    ids(mergePoll(board("a"), board("a", "gone"), edited("gone"))),
    "a",
    "a deleted one stays away",
  );
  const ours = { ...board(), streams: [stream("a", "renamed")], statuses: { a: status("a", "stopped") } };
  const polled = { streams: [stream("a", "old")], statuses: { a: status("a", "running") } };
  const merged = mergePoll(ours, polled, edited("a"));
  assert.deepEqual([merged.streams[0].name, merged.statuses.a.state], ["renamed", "stopped"]);
});

Deno.test("an order that was just made here stays, with new streams at its end", () => {
  assert.equal(
    ids(mergePoll(board("c", "a", "b"), board("a", "b", "c", "d"), { ...nothing, hasOrder: true })),
    "cabd",
  );
  assert.equal(ids(mergePoll(board("c", "a", "b"), board("a", "c"), { ...nothing, hasOrder: true })), "ca");
});

Deno.test("a card moves to a position, at most to the ends", () => {
  const order = ["a", "b", "c"];
  const cases: [string, number, string][] = [
    ["a", 2, "bca"],
    ["c", 0, "cab"],
    ["b", 1, "abc"],
    ["b", 9, "acb"],
    ["b", -3, "bac"],
  ];
  for (const [id, position, expected] of cases) assert.equal(moved(order, id, position).join(""), expected);
  assert.deepEqual(order, ["a", "b", "c"]);
  assert.equal(inOrder(board("x", "a", "y", "b").streams, ["b", "a"]).map(({ id }) => id).join(""), "baxy");
});

Deno.test("a card moves among those of its section, and the others stay where they are", () => {
  const order = [..."aXbYcZ"];
  const cases: [string, number, string][] = [["c", 0, "cXaYbZ"], ["a", 1, "bXaYcZ"], ["b", 9, "aXcYbZ"]];
  for (const [id, position, expected] of cases) {
    assert.equal(movedAmong(order, ["a", "b", "c"], id, position).join(""), expected);
  }
});

Deno.test("states are counted, the urgent ones first; a stream without status counts by what is wanted", () => {
  const counts = stateCounts(["running", "failed", "starting", "failed"]);
  assert.deepEqual(counts.map(({ state, count }) => `${count} ${state}`), [
    "2 failed",
    "1 starting",
    "1 running",
  ]);
  assert.equal(statusOf(stream("constructor"), {}).state, "starting");
});

Deno.test("the first poll has all streams that were known by name alone", () => {
  const pending = [{ id: "b", name: "B", group: "", state: "failed" as const }];
  const local = { ...board("a"), statuses: { a: status("a", "failed") }, pending };
  const merged = mergePoll(local, board("a", "b"), nothing);
  assert.deepEqual([ids(merged), merged.pending], ["ab", []]);
});

Deno.test("durations are short", () => {
  const cases: [number, string][] = [
    [-5, "0 s"],
    [59.9, "59 s"],
    [60, "1 min"],
    [3600, "1 h"],
    [3900, "1 h 5 min"],
    [86_400, "1 d"],
    [180_000, "2 d 2 h"],
  ];
  for (const [seconds, text] of cases) assert.equal(duration(seconds), text);
});

Deno.test("many move before another one or to the end, in their order", () => {
  const all = [..."abcdef"];
  for (
    const [ids, before, expected] of [
      ["eb", "a", "beacdf"],
      ["ab", "d", "cabdef"],
      ["ca", null, "bdefac"],
      ["ab", "gone", "cdefab"],
      ["abcdef", null, "abcdef"],
    ] as const
  ) assert.equal(placedBefore(all, [...ids], before).join(""), expected);
});
