import assert from "node:assert/strict";
import { nextPlace, type Place } from "../../../player/wall/places.ts";
import { retryMs } from "../../../player/wall/retry.ts";

/** A large slot on the left, two at its right, three below. */
const PLACES: Place[] = [
  { row: 1, column: 1, rowSpan: 2, columnSpan: 2 },
  { row: 1, column: 3, rowSpan: 1, columnSpan: 1 },
  { row: 2, column: 3, rowSpan: 1, columnSpan: 1 },
  { row: 3, column: 1, rowSpan: 1, columnSpan: 1 },
  { row: 3, column: 2, rowSpan: 1, columnSpan: 1 },
  { row: 3, column: 3, rowSpan: 1, columnSpan: 1 },
];

Deno.test("arrow keys lead to the nearest slot that is in line, over slots of all sizes", () => {
  const way = (from: number, direction: Parameters<typeof nextPlace>[2]) =>
    nextPlace(PLACES, from, direction);
  assert.deepEqual([1, 2, 5].map((at) => way(at, "left")), [0, 0, 4]);
  assert.deepEqual([0, 3, 4].map((at) => way(at, "right")), [1, 4, 5]);
  assert.deepEqual([0, 1, 2].map((at) => way(at, "down")), [3, 2, 5]);
  assert.deepEqual([3, 4, 5, 2].map((at) => way(at, "up")), [0, 0, 2, 1]);
  assert.deepEqual([way(0, "left"), way(0, "up"), way(5, "right"), way(3, "down")], [-1, -1, -1, -1]);
});

Deno.test("what cannot be played is tried again after a second, then less and less often, once a minute in the end", () => {
  assert.deepEqual([1, 2, 3, 4, 7, 50].map((failures) => retryMs(failures, 0.5)), [
    ...[1000, 2000, 4000, 8000],
    ...[60_000, 60_000],
  ]);
  assert.deepEqual([retryMs(1, 0), retryMs(1, 1)], [750, 1250]);
});
