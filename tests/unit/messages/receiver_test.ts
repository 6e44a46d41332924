import assert from "node:assert/strict";
import { isQuiet, isWanted } from "../../../lib/messages/receiver.ts";

Deno.test("quiet hours go over midnight, begin with their first minute and end before their last", () => {
  const at = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  const table: [from: string, to: string, now: string, quiet: boolean][] = [
    ["22:00", "07:00", "21:59", false],
    ["22:00", "07:00", "22:00", true],
    ["22:00", "07:00", "00:00", true],
    ["22:00", "07:00", "06:59", true],
    ["22:00", "07:00", "07:00", false],
    ["12:00", "13:00", "12:30", true],
    ["12:00", "13:00", "13:00", false],
    ["", "", "12:30", false],
    // half of them, as somebody may write into the file
    ["22:00", "", "23:00", false],
    ["", "07:00", "06:00", false],
  ];
  for (const [quietFrom, quietTo, now, quiet] of table) {
    assert.equal(isQuiet({ quietFrom, quietTo }, at(now)), quiet, `${quietFrom}-${quietTo} at ${now}`);
  }
});

Deno.test("a receiver gets what it is for, of its groups; what is about the machine has none", () => {
  const walls = { kinds: ["failed", "disk"] as ("failed" | "disk")[], groups: ["Walls"] };
  assert.equal(isWanted(walls, "failed", " walls"), true);
  assert.equal(isWanted(walls, "failed", "Kitchen"), false);
  assert.equal(isWanted(walls, "certificate", "Walls"), false);
  assert.equal(isWanted(walls, "disk", null), true);
  assert.equal(isWanted({ ...walls, groups: [] }, "failed", ""), true);
});
