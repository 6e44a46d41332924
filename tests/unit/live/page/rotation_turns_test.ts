import { strict as assert } from "node:assert";
import { dueAt, inTurn } from "../../../../lib/live/page/rotation_turns.ts";

const [A, B, C] = ["a", "b", "c"].map((name, at) => ({ url: `https://${name}/`, seconds: 20 + at }));
/** The first page again. */
const A2 = { ...A };
const NOW = 1_000_000;

const due = (show: readonly typeof A[], page: typeof A, isBroken = false) =>
  dueAt(show, { page, since: NOW - 5000 }, isBroken, NOW) - NOW;

Deno.test("a page has its seconds, one alone stays, and one that is not on any more goes at once", () => {
  assert.equal(due([A, B, C], A), 15_000);
  assert.equal(due([A, B, C], C), 17_000);
  assert.equal(due([A], A), Infinity);
  assert.equal(due([B, C], A), 0);
  assert.equal(due([B], A), 0);
  assert.equal(due([], A), Infinity);
});

Deno.test("a page that is broken goes sooner, but not at its first hiccup; one alone stays", () => {
  assert.equal(due([A, B], A, true), 5000);
  assert.equal(due([{ ...A, seconds: 7 }, B], A, true), 2000);
  assert.equal(due([A], A, true), Infinity);
});

Deno.test("the others come in their order, after the one in front", () => {
  assert.deepEqual(inTurn([A, B, C], A), [B, C]);
  assert.deepEqual(inTurn([A, B, C], B), [C, A]);
  assert.deepEqual(inTurn([A, B], C), [A, B]);
  assert.deepEqual(inTurn([A], A), []);
});

Deno.test("a page that stands twice has two turns", () => {
  const show = [A, B, A2, C];
  assert.deepEqual(inTurn(show, A), [B, A2, C]);
  assert.equal(inTurn(show, A2)[0], C);
  // by the timetable of changed settings, nobody knows which of the two it was
  assert.equal(inTurn(show, { ...A })[0], B);
});
