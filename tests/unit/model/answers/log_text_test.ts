import assert from "node:assert/strict";
import { shownText } from "../../../../lib/model/answers/log_text.ts";

const bytesOf = (text: string | number[]) =>
  typeof text === "string" ? new TextEncoder().encode(text) : new Uint8Array(text);

const SHOWN: [bytes: string | number[], text: string][] = [
  ["plain\ttext\n", "plain\ttext\n"],
  ["Übersicht 日本 🎥", "Übersicht 日本 🎥"],
  ["\x1b[1;31mred\x1b[0m", "red"],
  ["\x1b[38;5;245m\x1b[Kgrey", "grey"],
  ["\x1b]0;title\x07shown\x1b]8;;https://x\x1b\\link\x1b]8;;\x1b\\", "shownlink"],
  ["\x1bPq#0\x1b\\x\x1b(By\x1bcz", "xyz"],
  ["\u009b31mred", "red"],
  ["\x1b]0;never closed\nnext", "0;never closed\nnext"],
  ["a\x00b\x07c\x08d\x7fe\u0085f", "abcdef"],
  ["one\r\ntwo\rthree\n", "one\ntwo\nthree\n"],
  ["evil \u202etxt.exe\u2066", "evil txt.exe"],
  ["\uFEFFmark", "\uFEFFmark"],
  ["<script>alert(1)</script>&amp;", "<script>alert(1)</script>&amp;"],
  [[0x61, 0xff, 0xc3, 0x62], "a\ufffd\ufffdb"],
  [[0xed, 0xa0, 0x80], "\ufffd\ufffd\ufffd"],
  ["", ""],
];

Deno.test("what a terminal would do is left out; the rest is shown as it is", () => {
  for (const [bytes, text] of SHOWN) assert.equal(shownText(bytesOf(bytes)), text, JSON.stringify(bytes));
});
