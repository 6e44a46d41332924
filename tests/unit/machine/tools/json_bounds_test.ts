import assert from "node:assert/strict";
import { JsonBounds, repeatedField } from "../../../../lib/machine/tools/json_bounds.ts";

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

const REPEATED: [text: string, name: string | null][] = [
  ['{"url":1,"url":2}', "url"],
  ['{"url":1,"\\u0075rl":2}', "url"],
  ['{"a":{"url":1,"b":[{}],"url":1}}', "url"],
  ['[{"日本":1,"日本":1}]', "日本"],
  ['{"__proto__":1,"__proto__":2}', "__proto__"],
  ['{"":1,"":2}', ""],
  ['{"a":[{"a":1},{"a":"a"}],"b":{"a":1}}', null],
  ['{"a":"b","b":"a"}', null],
  ['["a","a"]', null],
  ['{"a\\"":1,"a":2,"A":3}', null],
  // the mark is a part of the name
  ['{"\uFEFFa":1,"a":2}', null],
  ['{"a":1}{"a":1}', null],
  ['}"a":1,"a"', null],
  ['{"\\x":1,"\\x":2}', "\\x"],
];

Deno.test("a field that an object has twice is seen, however the text is cut and the name is written", () => {
  const wrong = REPEATED.flatMap(([text, wanted]) =>
    [1, 2, 3, 7, 1000].map((size) => {
      const bytes = new TextEncoder().encode(text);
      const bounds = new JsonBounds({ ...LIMITS, depth: 9 });
      for (let at = 0; at < bytes.length; at += size) bounds.push(bytes.subarray(at, at + size));
      return { text, size, wanted, found: bounds.repeated };
    })
  ).filter(({ wanted, found }) => wanted !== found);
  assert.deepEqual(wrong, []);
});

const TEXTS: [text: string, field: string | null][] = [
  ['{"url":1,"url":2}', "url"],
  ['[{"a":{"b":1},"c":[],"\\u0061":1}]', "a"],
  ['{"streams":[{"name":"x"},{"name":"y"}],"name":"name"}', null],
  ['{"a":"{\\"b\\":1,\\"b\\":2}","c":"\\\\","d":["a",":","a"]}', null],
  ['"a"', null],
];

Deno.test("a field that stands twice in one object of a text is found, and nothing else", () => {
  assert.deepEqual(TEXTS.filter(([text, field]) => repeatedField(text) !== field), []);
});
