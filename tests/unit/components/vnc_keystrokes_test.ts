import { strict as assert } from "node:assert";
import { keystrokesBetween } from "../../../components/vnc/keystrokes.ts";

const CASES: [before: string, after: string, erase: number, text: string][] = [
  ["__", "__a", 0, "a"],
  ["__a", "__", 1, ""],
  ["__", "_", 1, ""],
  // autocorrection replaces the word
  ["__teh", "__the ", 2, "he "],
  ["__a", "__a\n", 0, "\n"],
  ["__", "__😀ü", 0, "😀ü"],
  ["__😀", "__", 1, ""],
  // the same first half of two emoji
  ["__😀", "__😁", 1, "😁"],
  ["__a", "__a", 0, ""],
  ["", "", 0, ""],
];

Deno.test("what a phone's keyboard did to the text is told in keys", () => {
  for (const [before, after, erase, text] of CASES) {
    assert.deepEqual(keystrokesBetween(before, after), { erase, text }, `${before} -> ${after}`);
  }
});
