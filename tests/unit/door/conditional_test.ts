import assert from "node:assert/strict";
import { wantedRange } from "../../../lib/door/conditional.ts";

const SIZE = 1000;
const ours = '"a"';

const RANGES: [string, [number, number] | "unsatisfiable" | null][] = [
  ["bytes=0-", [0, 1000]],
  ["bytes=0-0", [0, 1]],
  ["bytes=10-19", [10, 20]],
  ["bytes=999-", [999, 1000]],
  ["bytes=990-5000", [990, 1000]],
  ["bytes=-1", [999, 1000]],
  ["bytes=-5000", [0, 1000]],
  ["Bytes=1-2", [1, 3]],
  ["bytes= 1-2", [1, 3]],
  ["bytes=1000-", "unsatisfiable"],
  ["bytes=999999999999-", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ...[
    ...[
      "",
      "bytes",
      "bytes=",
      "bytes=-",
      "bytes=a-b",
      "bytes=2-1",
      "bytes=1-2,4-5",
      "bytes=1 - 2",
      "bytes=0x1-2",
    ],
    ...["items=0-1", "bytes=--1", "bytes=1-2-3", "bytes=1.5-2", "bytes=+1-2", "bytes=99999999999999999999-"],
  ].map((header): [string, null] => [header, null]),
];

Deno.test("one range of bytes, or the whole", () => {
  for (const [range, expected] of RANGES) {
    const wanted = wantedRange(new Headers({ range }), SIZE, ours);
    const [from, to] = Array.isArray(expected) ? expected : [];
    assert.deepEqual(wanted, Array.isArray(expected) ? { from, to } : expected, range);
  }
  assert.equal(wantedRange(new Headers(), SIZE, ours), null);
  assert.equal(wantedRange(new Headers({ range: "bytes=0-" }), 0, ours), "unsatisfiable");
});

Deno.test("If-Range keeps a client from joining two versions", () => {
  const rules: [string, boolean][] = [
    ['"a"', true],
    ['W/"a"', false],
    ['"b"', false],
    ["Thu, 01 Jan 2026 00:00:00 GMT", false],
    ["", false],
  ];
  for (const [ifRange, isPart] of rules) {
    const headers = new Headers({ range: "bytes=0-1", "if-range": ifRange });
    assert.equal(wantedRange(headers, SIZE, ours) !== null, isPart, ifRange);
  }
  const headers = new Headers({ range: "bytes=0-1", "if-range": '"a"' });
  assert.equal(wantedRange(headers, SIZE, null), null);
});
