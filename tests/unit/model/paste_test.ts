import assert from "node:assert/strict";
import { MAX_PASTE_BYTES, pasteProblem } from "../../../lib/model/paste.ts";

Deno.test("a text is measured as it is sent: UTF-8, two characters for each line's end, and a zero", () => {
  const most = MAX_PASTE_BYTES - 1;
  const table: [what: string, text: string, isTaken: boolean][] = [
    ["nothing", "", true],
    ["ASCII", "a".repeat(most), true],
    ["ASCII and one more", "a".repeat(most + 1), false],
    ["Chinese", "漢".repeat(Math.floor(most / 3)), true],
    ["Chinese and one more", "漢".repeat(Math.floor(most / 3) + 1), false],
    ["emoji", "😀".repeat(Math.floor(most / 4)), true],
    ["emoji and one more", "😀".repeat(Math.floor(most / 4) + 1), false],
    ["empty lines", "\n".repeat(Math.floor(most / 2)), true],
    ["empty lines and one more", "\n".repeat(Math.floor(most / 2) + 1), false],
    ["lines of Windows", "\r\n".repeat(Math.floor(most / 2)), true],
    ["halves of characters", "\ud83d".repeat(Math.floor(most / 3) + 1), false],
  ];
  for (const [what, text, isTaken] of table) assert.equal(pasteProblem(text) === "", isTaken, what);
  assert.equal(
    pasteProblem("漢".repeat(400_000)),
    "This text takes 1.15 MiB, and 1 MiB can be pasted at once. Paste it in parts.",
  );
});
