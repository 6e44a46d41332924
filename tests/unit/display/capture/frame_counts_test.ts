import { strict as assert } from "node:assert";
import { countsText, MAX_COUNTS, parseCounts } from "../../../../lib/display/capture/frame_counts.ts";

const NOW = Date.UTC(2026, 0, 5, 12);

Deno.test("the counts of each display are read as they were told", () => {
  const counts = new Map([
    [101, { sent: 250, dropped: 3, changedAt: NOW }],
    [102, { sent: 0, dropped: 0, changedAt: 0 }],
  ]);
  assert.equal(countsText(counts), `101 250 3 ${NOW}\n102 0 0 0\n`);
  assert.deepEqual(parseCounts(countsText(counts)), counts);
});

Deno.test("a program of before tells no time of a change; what is no line of counts is left out", () => {
  const read = parseCounts(`101 250 3\n102 7 2 ${NOW}\n103 1\n104 1 2 3 4\n105 1 2 -3\n106 1 2 \n`);
  assert.deepEqual([...read], [
    [101, { sent: 250, dropped: 3, changedAt: 0 }],
    [102, { sent: 7, dropped: 2, changedAt: NOW }],
  ]);
});

Deno.test("the counts of all displays fit into what is read of them", () => {
  const most = { sent: 10 ** 15 - 1, dropped: 10 ** 15 - 1, changedAt: NOW };
  assert.ok(
    countsText(new Map(Array.from({ length: 500 }, (_, at) => [65_035 + at, most]))).length < MAX_COUNTS,
  );
});
