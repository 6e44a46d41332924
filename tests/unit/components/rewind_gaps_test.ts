/** What the bar of a channel's past says of a time of which nothing is there. */
import assert from "node:assert/strict";
import { gapLabel, gapText } from "../../../components/rewind/bars.ts";

Deno.test("a gap says why, and a node that is away by its name", () => {
  assert.deepEqual([gapText({ reason: null }), gapLabel({ reason: null })], [
    "Nothing is kept of this time.",
    "nothing kept",
  ]);
  assert.deepEqual([gapText({ reason: "stopped" }), gapLabel({ reason: "stopped" })], [
    "The channel was off the air.",
    "off the air",
  ]);
  const away = { reason: "away", node: "b2" } as const;
  assert.deepEqual([gapText(away), gapLabel(away)], [
    "Not here: the node b2, which has this part, is away.",
    "b2 is away",
  ]);
});
