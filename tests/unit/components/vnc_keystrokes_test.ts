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
  // what one Backspace takes
  ["_👩‍👩‍👧", "_", 1, ""],
  ["_a👩‍👩‍👧b", "_a", 2, ""],
  ["_👍🏽", "_", 1, ""],
  ["_👩🏽‍🚀", "_", 1, ""],
  ["_❤️", "_", 1, ""],
  ["_❤️‍🔥", "_", 1, ""],
  ["_1️⃣2⃣", "_", 2, ""],
  ["_🇩🇪🇫🇷", "_🇩🇪", 1, ""],
  ["_🏴󠁧󠁢󠁥󠁮󠁧󠁿🏴󠁧󠁢󠁷󠁬󠁳󠁿", "_🏴󠁧󠁢󠁥󠁮󠁧󠁿", 1, ""],
  ["_🏴󠁧󠁢󠁥󠁮󠁧󠁿", "_🏴󠁧󠁢󠁷󠁬󠁳󠁿", 1, "🏴󠁧󠁢󠁷󠁬󠁳󠁿"],
  // a part of it is none of its own
  ["_🇩🇪", "_🇩🇰", 1, "🇩🇰"],
  ["_🇩🇪🇫", "_🇩🇪🇫🇷", 1, "🇫🇷"],
  ["_👍", "_👍🏽", 1, "👍🏽"],
  ["_👩‍👩‍👧", "_👩‍👩‍👦", 1, "👩‍👩‍👦"],
  ["_👩", "_👩‍🚀", 1, "👩‍🚀"],
  ["_❤️", "_❤", 1, "❤"],
  // accents come off one by one, as do the parts of other scripts' letters
  ["_e\u0301", "_e", 1, ""],
  ["_e\u0301\u0323", "_", 3, ""],
  ["_क्षि", "_", 4, ""],
  ["_\u1112\u1161\u11ab", "_", 3, ""],
  // what only begins as an emoji
  ["_👩\u200d", "_", 2, ""],
  ["_🏽", "_", 1, ""],
  ["_12", "_", 2, ""],
];

Deno.test("what a phone's keyboard did to the text is told in keys", () => {
  for (const [before, after, erase, text] of CASES) {
    assert.deepEqual(keystrokesBetween(before, after), { erase, text }, `${before} -> ${after}`);
  }
});
