import assert from "node:assert/strict";
import { repeatedField } from "../../../lib/store/repeated_field.ts";

const ROWS: [text: string, field: string | null][] = [
  ['{"url":1,"url":2}', "url"],
  ['[{"a":{"b":1},"c":[],"\\u0061":1}]', "a"],
  ['{"streams":[{"name":"x"},{"name":"y"}],"name":"name"}', null],
  ['{"a":"{\\"b\\":1,\\"b\\":2}","c":"\\\\","d":["a",":","a"]}', null],
  ['"a"', null],
];

Deno.test("a field that stands twice in one object is found, and nothing else", () => {
  assert.deepEqual(ROWS.filter(([text, field]) => repeatedField(text) !== field), []);
});
