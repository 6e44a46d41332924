import assert from "node:assert/strict";
import { JsonBounds } from "../../../lib/http/json_bounds.ts";

const LIMITS = { depth: 4, members: 3, values: 10, text: 40 };

/** What is said of a text that comes in pieces of so many bytes. */
function problem(text: string, pieceBytes: number): string | null {
  const bytes = new TextEncoder().encode(text);
  const bounds = new JsonBounds(LIMITS);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const found = bounds.push(bytes.subarray(at, at + pieceBytes));
    if (found) return found;
  }
  return null;
}

const CASES: [text: string, problem: RegExp | null][] = [
  ["", null],
  ["1", null],
  ["[1,2,3,4,5,6,7,8]", null],
  ["[1,2,3,4,5,6,7,8,9,10]", /more than 10 values/],
  ['{"a":1,"b":2,"c":3}', null],
  ['{"a":1,"b":2,"c":3,"d":4}', /object of more than 3 fields/],
  ['[{"a":1,"b":2},{"a":1,"b":2}]', null],
  ["[[[[1]]]]", null],
  ["[[[[[", /deeper than 4 levels/],
  ['{"a":{"a":{"a":{"a":{', /deeper than 4 levels/],
  ["[],[],[],[],[],[]", /more than 10 values/],
  // what stands in a text is no JSON
  ['"[[[[[[,,,,,,,,,,,,{{{{{"', null],
  ['["\\"[[[[[[,,,,,,,,,,", "\\\\", 1]', null],
  ['["\\\\",1,2,3,4,5,6,7,8,9,10]', /more than 10 values/],
  ['{"日本":"📺,,,,,,,,,,,,"}', null],
  [`["${"x".repeat(40)}"]`, null],
  [`["${"x".repeat(30)}","${"x".repeat(30)}"]`, null],
  [`["${"x".repeat(41)}"]`, /text of more than 40 bytes/],
  [`["${"x".repeat(41)}`, /text of more than 40 bytes/],
  // more ends than beginnings are the parser's to refuse
  ["]]]]]]}}}}", null],
];

for (const [text, wanted] of CASES) {
  Deno.test(`bounds of JSON, however it is cut: ${text}`, () => {
    for (const bytes of [1, 2, 3, 7, 1000]) {
      const found = problem(text, bytes);
      if (wanted === null) assert.equal(found, null, `in ${bytes}`);
      else assert.match(found ?? "", wanted, `in ${bytes}`);
    }
  });
}
