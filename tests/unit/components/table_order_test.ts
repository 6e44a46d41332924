import assert from "node:assert/strict";
import type { BoardItem } from "../../../components/board/boardItems.ts";
import { sorted, type TableFacts } from "../../../components/board/table/tableOrder.ts";
import { type Column, nextSort, sortOf, sortText } from "../../../components/board/table/tableSort.ts";
import type { PublicStream } from "../../../lib/model/schema.ts";

const item = (name: string, group: string, state: BoardItem["state"], url: string): BoardItem => ({
  id: name,
  name,
  group,
  state,
  isShown: true,
  stream: { url } as PublicStream,
});
const ITEMS = [
  item("Screen 10", "", "stopped", "https://b.example/"),
  item("screen 9", "lobby", "failed", "https://z.example/"),
  item("Änne", "Hall", "running", "http://a.example/"),
  { ...item("Berta", "hall", "starting", ""), stream: null },
];
const FACTS = {
  statuses: { "screen 9": { reason: "The page is gone." }, "Screen 10": { noRoom: "CPU 95 % busy" } },
  heartbeats: {
    streams: { Änne: { goodPercent: 97 }, Berta: { goodPercent: null }, "screen 9": { goodPercent: 3 } },
  },
} as unknown as TableFacts;
const names = (column: Column, isDown = false) =>
  sorted(ITEMS, { column, isDown }, FACTS).map(({ name }) => name);

Deno.test("rows are sorted by each heading, both ways; what has no value comes last", () => {
  const orders: Record<Column, [up: string[], down: string[]]> = {
    name: [["Änne", "Berta", "screen 9", "Screen 10"], ["Screen 10", "screen 9", "Berta", "Änne"]],
    group: [["Änne", "Berta", "screen 9", "Screen 10"], ["screen 9", "Änne", "Berta", "Screen 10"]],
    state: [["screen 9", "Berta", "Änne", "Screen 10"], ["Screen 10", "Änne", "Berta", "screen 9"]],
    page: [["Änne", "Screen 10", "screen 9", "Berta"], ["screen 9", "Screen 10", "Änne", "Berta"]],
    day: [["screen 9", "Änne", "Screen 10", "Berta"], ["Änne", "screen 9", "Screen 10", "Berta"]],
  };
  for (const [column, [up, down]] of Object.entries(orders) as [Column, string[][]][]) {
    assert.deepEqual([names(column), names(column, true)], [up, down], column);
  }
  assert.equal(sorted(ITEMS, undefined, FACTS), ITEMS, "the board's own order");
});

Deno.test("a heading sorts up, down, and not at all; an address keeps it, and nothing else", () => {
  const up = nextSort(undefined, "state");
  assert.deepEqual(up, { column: "state", isDown: false });
  assert.deepEqual(nextSort(up, "name"), { column: "name", isDown: false });
  const down = nextSort(up, "state")!;
  assert.deepEqual([sortText(up!), sortText(down)], ["state", "-state"]);
  assert.deepEqual([sortOf("state"), sortOf("-state")], [up, down]);
  assert.equal(nextSort(down, "state"), undefined);
  for (const text of [null, "", "-", "states", "constructor", "--state", "State "]) {
    assert.equal(sortOf(text), undefined, String(text));
  }
});
