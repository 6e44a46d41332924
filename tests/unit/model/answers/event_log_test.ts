import assert from "node:assert/strict";
import { eventLines, EventLog, eventOffset } from "../../../../lib/model/answers/event_log.ts";
import { MAX_EVENTS, mergeEvents } from "../../../../lib/model/answers/events.ts";

const texts = (log: EventLog) => log.since(0).map(({ text }) => text);

Deno.test("equal events in a row are one with a count, and others begin a new one", () => {
  const log = new EventLog();
  for (const now of [1000, 2000, 3000]) log.add("program", "Encoder restarted.", "warn", now);
  log.add("page", "Opened.", "info", 4000);
  log.add("program", "Encoder restarted.", "warn", 5000);
  assert.deepEqual(log.since(0).map(({ text, count, at, lastAt }) => [text, count, at, lastAt]), [
    ["Encoder restarted.", 3, 1000, 3000],
    ["Opened.", 1, 4000, 4000],
    ["Encoder restarted.", 1, 5000, 5000],
  ]);
});

Deno.test("the same words at another level or about another thing are another event", () => {
  const log = new EventLog();
  log.add("page", "It did not answer.", "warn", 1);
  log.add("page", "It did not answer.", "error", 2);
  log.add("login", "It did not answer.", "error", 3);
  assert.equal(log.since(0).length, 3);
});

Deno.test("who asks again gets what came since, and the last event when it was counted once more", () => {
  const log = new EventLog();
  log.add("stream", "Started.", "info", 1);
  log.add("page", "Opened.", "info", 2);
  const seen = log.changes;
  assert.deepEqual(log.since(seen), []);
  log.add("page", "Opened.", "info", 3);
  log.add("page", "Blank.", "warn", 4);
  assert.deepEqual(log.since(seen).map(({ text, count }) => [text, count]), [["Opened.", 2], ["Blank.", 1]]);
  assert.equal(log.since(seen + 1000).length, 3, "the answer of a service that had stored more");
});

Deno.test("what a page says is cut, and has no line breaks or signs that turn the direction", () => {
  const log = new EventLog();
  log.add("console", `a\nb\u001b[31m\u202ec${"x".repeat(5000)}`, "error", 1);
  const [{ text }] = log.since(0);
  assert.match(text, /^a b \[31m cx+$/);
  assert.equal(text.length, 300);
});

Deno.test("a kind that floods is only counted, also when two of them take turns", () => {
  const log = new EventLog();
  for (let n = 0; n < 5000; n++) {
    log.add("console", `error ${n}`, "error", 60_000 + n);
    log.add("page", `moved ${n}`, "info", 60_000 + n);
  }
  assert.equal(log.since(0).length, 2 * 30 + 2);
  assert.deepEqual(log.since(0).slice(-2).map(({ count }) => count), [4970, 4970]);
  log.add("console", "a minute later", "error", 180_000);
  assert.equal(texts(log).at(-1), "a minute later");
});

Deno.test("when there are too many, the oldest of the kind that there are most of goes", () => {
  const log = new EventLog();
  log.add("stream", "Created.", "info", 0);
  for (let n = 0; n < 2 * MAX_EVENTS; n++) log.add("console", `error ${n}`, "error", n * 60_000);
  assert.equal(log.since(0).length, MAX_EVENTS);
  assert.deepEqual(texts(log).slice(0, 2), ["Created.", `error ${MAX_EVENTS + 1}`]);
});

Deno.test("the lines of a log are read back, the later of two with one id, and a torn one not", () => {
  const log = new EventLog();
  log.add("stream", "Started.", "info", 1);
  const first = eventLines(log.since(0));
  log.add("stream", "Started.", "info", 2);
  log.add("page", "Ünïcode „“ \u2028.", "info", 3);
  const text = first + eventLines(log.since(1)) + '{"id":9,"at":4,"ki';
  const again = EventLog.parse(
    text + '\nnull\n{"id":-1}\n[]\n{"id":7,"at":1,"kind":"other","level":"info"}\n',
  );
  assert.deepEqual(again.since(0), log.since(0));
  again.add("page", "Later.", "info", 5);
  assert.equal(new Set(again.since(0).map(({ id }) => id)).size, 3);
  assert.equal(texts(again).at(-1), "Later.");
});

Deno.test("a page merges what it has with what came, by number", () => {
  const log = new EventLog();
  log.add("stream", "Started.", "info", 1);
  log.add("page", "Opened.", "info", 2);
  const known = log.since(0);
  log.add("page", "Opened.", "info", 3);
  assert.deepEqual(mergeEvents(known, log.since(2)), log.since(0));
  assert.deepEqual(mergeEvents(known, []), known);
});

Deno.test("an offset that no answer gave is refused", () => {
  assert.deepEqual([eventOffset(null), eventOffset("0"), eventOffset("42")], [0, 0, 42]);
  for (const text of ["", "-1", "x", "1e9", "1".repeat(16)]) {
    assert.throws(() => eventOffset(text), /has as next/);
  }
});
