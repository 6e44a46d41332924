import { strict as assert } from "node:assert";
import fc from "fast-check";
import { entry, log, logRarely, printable, printableName } from "../../../../lib/machine/tools/log.ts";
import { LineBudget } from "../../../../lib/machine/tools/line_budget.ts";
import { logged } from "../../../support/logged.ts";
import { anyText } from "../../../support/any_text.ts";

const AT = new Date("2026-01-02T03:04:05.678Z");

Deno.test("log: an entry for people has time, level, message and fields on one line", () => {
  const fields = {
    stream: "lobby",
    why: "it had ended",
    count: 3,
    url: null,
    none: undefined,
    list: ["a b"],
  };
  assert.equal(
    entry("text", AT, "warn", "program was restarted", fields),
    '2026-01-02T03:04:05.678Z warn program was restarted stream=lobby why="it had ended" count=3 url=null list=["a b"]',
  );
  assert.equal(entry("text", AT, "info", "stopped"), "2026-01-02T03:04:05.678Z info stopped");
});

Deno.test("log: an entry for programs is one JSON object", () => {
  const line = entry("json", AT, "warn", "program was restarted", { stream: "lobby", error: 'a "b"\nc' });
  assert.deepEqual(JSON.parse(line), {
    time: "2026-01-02T03:04:05.678Z",
    level: "warn",
    message: "program was restarted",
    stream: "lobby",
    error: 'a "b"\nc',
  });
});

Deno.test("log: nothing that a page or a client says looks like another entry, or another field", () => {
  const said = fc.oneof(
    anyText(),
    fc.string({
      unit: fc.constantFrom("\n", "\r", "\u2028", "\x1b", "\x7f", "\x9b", "\u202e", '"', "=", " ", "a", "\\"),
    }),
  );
  fc.assert(fc.property(said, (text) => {
    for (const as of ["text", "json"] as const) {
      const line = entry(as, AT, "info", "page brought back", { why: text });
      assert.doesNotMatch(line, /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
    }
    assert.equal(JSON.parse(entry("json", AT, "info", "page brought back", { why: text })).why, text);
    const [, value] = /^\S+ info page brought back why=(.*)$/s.exec(
      entry("text", AT, "info", "page brought back", { why: text }),
    )!;
    const isQuoted = value.startsWith('"');
    assert.equal(isQuoted ? JSON.parse(value) : value, text);
    assert.ok(isQuoted || !/[\s="]/.test(value));
  }));
});

Deno.test("log: what others have named steers no terminal, and a name makes no line", () => {
  const texts = [
    ["plain, é 日本", "plain, é 日本"],
    ["one\n\ttwo", "one\n\ttwo"],
    ["\x1b]0;title\x07\x1b[2J", "\ufffd]0;title\ufffd\ufffd[2J"],
    ["a\rb\x00\x7f\x9b31m", "a\ufffdb\ufffd\ufffd\ufffd31m"],
    ["\u202egpj.exe\u2066", "\ufffdgpj.exe\ufffd"],
  ];
  for (const [text, shown] of texts) assert.equal(printable(text), shown);
  assert.equal(printableName("nginx\nroot:\tb"), "nginx\ufffdroot:\ufffdb");
});

Deno.test("log: a message has so many lines a minute, and a count of the others", () => {
  const budget = new LineBudget();
  const take = (most: number, now: number, message = "junk") => budget.take(message, most, now);
  assert.deepEqual([take(2, 0), take(2, 1), take(2, 59_000), take(2, 59_999)], [0, 0, null, null]);
  assert.equal(take(2, 59_999, "another message"), 0);
  assert.deepEqual([take(2, 60_000), take(2, 60_001), take(2, 60_002)], [2, 0, null]);
  assert.deepEqual(budget.over(100_000), []);
  assert.deepEqual(budget.over(120_000), [["junk", 1]]);
  assert.deepEqual([budget.over(120_001), take(2, 120_002)], [[], 0]);
});

Deno.test("log: what others cause again and again, or at length, is little", async () => {
  const lines = await logged(() => {
    for (let at = 0; at < 4000; at++) logRarely("warn", "a record is not ours", { key: `a${at}` });
    for (let at = 0; at < 4000; at++) log("warn", "a guess was wrong", { key: `a${at}` });
    log("warn", "an error of somebody's", { error: "x".repeat(1_000_000) });
  });
  const count = (what: string) => lines.filter((line) => line.includes(what)).length;
  assert.deepEqual([count("a record is not ours"), count("a guess was wrong"), count("somebody's")], [
    1,
    200,
    1,
  ]);
  assert.ok(lines.join("").length < 100_000, `${lines.join("").length} characters`);
});
