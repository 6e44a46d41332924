import assert from "node:assert/strict";
import { lineStart, shownText, unfinished } from "../../../lib/streams/log_text.ts";

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

const UNFINISHED: [bytes: string | number[], count: number][] = [
  ["", 0],
  ["whole 日本\n", 0],
  [[0x61, 0xc3], 1],
  [[0x61, 0xe6, 0x97], 2],
  [[0x61, 0xf0, 0x9f, 0x8e], 3],
  [[0xf0], 1],
  [[0x61, 0xff], 0], // never part of a character
  [[0x61, 0x80], 0],
  [[0x80, 0x80, 0x80, 0x80], 0],
  [[0xc3, 0x61], 0],
  ["a\x1b", 1],
  ["a\x1b[38;5", 6],
  ["a\x1b[31m", 0],
  ["a\x1b]0;title", 9],
  ["a\x1b]0;title\x1b", 10],
  ["a\x1b]0;" + "x".repeat(300), 0], // too long to be one
  ["a\x1b]0;title\nnext", 0],
  ["line\r", 1],
  ["line\r\n", 0],
];

Deno.test("what ends in the middle is counted", () => {
  for (const [bytes, count] of UNFINISHED) {
    assert.equal(unfinished(bytesOf(bytes)), count, JSON.stringify(bytes));
  }
});

Deno.test("a text begins with its first whole line, or character", () => {
  assert.equal(lineStart(bytesOf("end of one\ntwo\n")), 11);
  assert.equal(lineStart(bytesOf("one long line\n")), 0);
  assert.equal(lineStart(bytesOf([0x9f, 0x8e, 0xa5, 0x61])), 3);
  assert.equal(lineStart(bytesOf([0x80, 0x80, 0x80, 0x80, 0x61])), 0);
  assert.equal(lineStart(bytesOf("")), 0);
});

Deno.test("megabytes of beginnings of sequences take no time", () => {
  for (const text of ["\x1b[", "\x1b]", "\x1b[0;", "\x1b ", "\x1bP\x1b", "\x9b0"]) {
    const bytes = bytesOf(text.repeat(100_000));
    const from = performance.now();
    shownText(bytes);
    unfinished(bytes);
    assert.ok(performance.now() - from < 1000, `${JSON.stringify(text)}: ${performance.now() - from} ms`);
  }
});
