import { strict as assert } from "node:assert";
import {
  allLines,
  append,
  cutAtMatches,
  EMPTY_LOG,
  lineCount,
  MAX_CHARACTERS,
  MAX_LINES,
} from "../../../components/log/logBuffer.ts";

Deno.test("lines that come in pieces are put together", () => {
  let log = append(EMPTY_LOG, "one\ntw");
  assert.deepEqual(allLines(log), ["one", "tw"]);
  log = append(log, "o\r\n\nthree\n");
  assert.deepEqual(allLines(log), ["one", "two", "", "three"]);
  assert.equal(lineCount(log), 4);
  assert.equal(append(log, ""), log);
});

Deno.test("the oldest lines go beyond the limit, and the rest keep their numbers", () => {
  const numbers = Array.from({ length: MAX_LINES + 10 }, (_, n) => `line ${n}\n`).join("");
  const log = append(append(EMPTY_LOG, numbers), "last\n");
  assert.equal(log.lines.length, MAX_LINES);
  assert.equal(log.first, 11);
  assert.equal(log.lines[0], "line 11");
  assert.equal(log.lines.at(-1), "last");
});

Deno.test("long lines are bounded by their length", () => {
  const line = "x".repeat(100_000) + "\n";
  let log = EMPTY_LOG;
  for (let n = 0; n < 40; n++) log = append(log, line);
  assert.ok(log.characters <= MAX_CHARACTERS + 100_001, String(log.characters));
  assert.ok(log.lines.length >= 20);
  log = append(EMPTY_LOG, "y".repeat(3 * MAX_CHARACTERS));
  assert.ok(allLines(log)[0].length <= MAX_CHARACTERS);
});

const MATCHES: [line: string, query: string, cut: string[]][] = [
  ["an Error of errors", "ERROR", ["an ", "Error", " of ", "error", "s"]],
  ["nothing", "x", ["nothing"]],
  ["all", "", ["all"]],
  ["a.b(c)[d]", ".b(", ["a", ".b(", "c)[d]"]],
  ["<b>x</b>", "<b>", ["", "<b>", "x</b>"]],
  ["a\\b|c", "\\b|", ["a", "\\b|", "c"]],
  ["Über über", "ÜBER", ["", "Über", " ", "über", ""]],
];

for (const [line, query, cut] of MATCHES) {
  Deno.test(`a line cut at matches: ${line} at ${query || "nothing"}`, () => {
    assert.deepEqual(cutAtMatches(line, query), cut);
  });
}
