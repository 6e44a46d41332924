import { strict as assert } from "node:assert";
import { mergedOrder } from "../../../lib/store/merged_order.ts";

const words = (text: string) => text === "" ? [] : text.split("");

Deno.test("an order that two nodes change at once has the changes of both", () => {
  // before, after, theirs, merged
  const cases = [
    ["abc", "abcd", "abc", "abcd"],
    ["abc", "abcd", "abce", "abcde"], // behind the one that it was put behind
    ["abc", "ac", "abce", "ace"],
    ["abc", "cab", "abce", "cabe"],
    ["abc", "bca", "cab", "cab"],
    ["abcd", "dabc", "bacd", "dbac"],
    ["abc", "xabc", "bac", "xbac"],
    ["abc", "abc", "cba", "cba"],
    ["", "a", "b", "ab"],
    ["", "a", "", "a"],
    ["ab", "", "abc", "c"],
  ];
  for (const [before, after, theirs, merged] of cases) {
    const found = mergedOrder(words(before), words(after), words(theirs)).join("");
    assert.equal(found, merged, `${before} -> ${after}, meanwhile ${theirs}`);
  }
});
