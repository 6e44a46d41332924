import assert from "node:assert/strict";
import { median, percentile } from "../../../bench/figures.ts";
import { ratio, type Row, shown, table } from "../../../bench/table.ts";

const ROW: Row = { name: "a start", ours: 3.514, baseline: 2, beside: "by hand", unit: "s", better: "less" };

Deno.test("the median is a measured value, in the middle, whatever the order", () => {
  assert.equal(median([9, 1, 10]), 9);
  assert.equal(median([4, 1, 3, 2]), 3);
  assert.equal(median([]), NaN);
});

Deno.test("a percentile is the least value that so many are not above", () => {
  const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);
  assert.equal(percentile(hundred, 0.99), 99);
  assert.equal(percentile(hundred, 0.5), 50);
  assert.equal(percentile([7], 0.01), 7);
  assert.equal(percentile([], 0.99), NaN);
});

Deno.test("a ratio is ours by the baseline's, and unknown beside nothing", () => {
  assert.equal(ratio({ ours: 3, baseline: 2 }), 1.5);
  assert.equal(ratio({ ours: 0, baseline: 0 }), 1);
  assert.equal(ratio({ ours: 3, baseline: 0 }), NaN);
});

Deno.test("figures have three digits that count", () => {
  assert.deepEqual([0, 0.066, 3.514, 35.14, 351.4, 3514].map(shown), [
    "0",
    "0.07",
    "3.51",
    "35.1",
    "351",
    "3514",
  ]);
  assert.deepEqual([NaN, Infinity].map(shown), ["?", "?"]);
});

Deno.test("the table's columns stand below each other, numbers on the right", () => {
  assert.equal(
    table([ROW, { ...ROW, name: "pictures", ours: 0, baseline: 0, unit: "lost" }]),
    [
      "| Measured | Ours | Baseline | Unit | Ratio | Better | The baseline is |",
      "| -------- | ---: | -------: | ---- | ----: | ------ | --------------- |",
      "| a start  | 3.51 |     2.00 | s    |  1.76 | less   | by hand         |",
      "| pictures |    0 |        0 | lost |  1.00 | less   | by hand         |",
    ].join("\n"),
  );
});
