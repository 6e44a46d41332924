import assert from "node:assert/strict";
import { lastingStops, stoppedPids } from "../../../lib/run/stopped.ts";
import type { ProcessEntry } from "../../../lib/machine/os/process_table.ts";

/** init 1, `up` 10, supervisord 20, a browser 30 with a zygote 31 and a renderer 32, an orphan 40, another's 50. */
function table(states: Record<number, string> = {}): Map<number, ProcessEntry> {
  const parents = { 1: 0, 10: 1, 20: 10, 30: 20, 31: 30, 32: 31, 40: 1, 50: 1 };
  return new Map(
    Object.entries(parents).map((
      [pid, parent],
    ) => [Number(pid), { parent, group: 1, state: states[Number(pid)] ?? "S" }]),
  );
}

const found = (states: Record<number, string>, before = Object.keys(states).map(Number)) =>
  lastingStops(table(states), new Set(before), 20, (pid) => pid === 40);

Deno.test("a stopped process is found with the program that it belongs to", () => {
  assert.deepEqual(found({ 30: "T" }), [{ pid: 30, program: 30 }]);
  assert.deepEqual(found({ 32: "T" }), [{ pid: 32, program: 30 }]);
  assert.deepEqual(found({ 30: "T", 31: "T" }), [{ pid: 30, program: 30 }, { pid: 31, program: 30 }]);
});

Deno.test("what a program that ended has left is found by its mark", () => {
  assert.deepEqual(found({ 40: "T" }), [{ pid: 40, program: null }]);
});

Deno.test("left alone: what is stopped for a moment, other people's, supervisord, a debugger's", () => {
  assert.deepEqual(found({ 30: "T" }, []), []);
  assert.deepEqual(found({ 50: "T", 1: "T", 10: "T" }), []);
  assert.deepEqual(found({ 20: "T" }), []);
  assert.deepEqual(found({ 30: "t" }), []);
  assert.deepEqual([...stoppedPids(table({ 20: "T", 30: "t", 32: "Z" }))], [20]);
});
