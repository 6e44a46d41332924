import assert from "node:assert/strict";
import { type DecisionLimits, type Health, nextHealth, WELL } from "../../../lib/messages/decision.ts";
import type { StreamState } from "../../../lib/model/answers/status.ts";

const LIMITS: DecisionLimits = { afterMs: 30_000, calmMs: 3_600_000, longestUpMs: 600_000 };

/** What is told, and at which second, of a stream that goes through states for so many seconds each. */
function told(states: [StreamState, seconds: number][], known: Health = WELL): string[] {
  const said: string[] = [];
  let health = known, at = 0;
  for (const [state, seconds] of states) {
    for (let second = 0; second < seconds; second++) {
      at++;
      const next = nextHealth(health, state, at * 1000, 1000, LIMITS);
      if (next.told !== health.told) said.push(`${at} ${next.told}`);
      health = next;
    }
  }
  return said;
}

const times = (count: number, states: [StreamState, number][]) => Array(count).fill(states).flat();

Deno.test("a failure is told when it has lasted, and the return likewise", () => {
  assert.deepEqual(told([["running", 60], ["failed", 40], ["running", 60]]), ["91 failed", "130 running"]);
  assert.deepEqual(told([["running", 60], ["degraded", 40], ["running", 60]]), [
    "91 degraded",
    "130 running",
  ]);
});

Deno.test("a hiccup, a start and a restart are not told", () => {
  assert.deepEqual(told([["starting", 300], ["running", 60]]), []);
  assert.deepEqual(told([["running", 60], ["degraded", 29], ["running", 60]]), []);
  assert.deepEqual(told(times(50, [["degraded", 20], ["running", 31]])), []);
  assert.deepEqual(told([["running", 60], ["starting", 60], ["running", 60]]), []);
});

Deno.test("a stream that flaps is told once, and its return when it stays", () => {
  assert.deepEqual(told([...times(60, [["degraded", 10], ["running", 10]]), ["running", 60]]), [
    "61 degraded",
    "1220 running",
  ]);
});

Deno.test("a start after a failure counts as down, and is not what is told", () => {
  assert.deepEqual(told(times(5, [["failed", 2], ["starting", 20]])), ["45 failed"]);
  assert.deepEqual(told([["failed", 2], ["starting", 100], ["running", 60]]), []);
});

Deno.test("a stream with a problem that fails is told once more; a failed one with a mere problem is not", () => {
  assert.deepEqual(told([["degraded", 60], ["failed", 60], ["degraded", 60], ["failed", 60]]), [
    "31 degraded",
    "90 failed",
  ]);
});

Deno.test("one that comes and goes all day is told less and less often", () => {
  const day = told(times(1080, [["failed", 40], ["running", 40]]));
  assert.deepEqual(day, ["31 failed", "70 running", "111 failed"], "it never stays up for a minute again");
  for (const seconds of [60, 100, 300, 599, 600, 900]) {
    const said = told(times(Math.ceil(7200 / seconds), [["failed", seconds], ["running", seconds]]));
    const ofSecondHour = said.filter((one) => parseInt(one) > 3600 && parseInt(one) <= 7200).length;
    assert.ok(ofSecondHour <= 7, `${seconds} s: ${said.join()}`);
  }
});

Deno.test("after a calm hour a return is told as soon as at first", () => {
  const states: [StreamState, number][] = [["failed", 40], ["running", 3700], ["failed", 40], [
    "running",
    40,
  ]];
  assert.deepEqual(told(states), ["31 failed", "70 running", "3771 failed", "3810 running"]);
});

Deno.test("who stops a stream knows: nothing is told, and it begins anew", () => {
  const stopped = nextHealth({ ...WELL, told: "failed", downSince: 1, downMs: 99 }, "stopped", 2, 1, LIMITS);
  assert.deepEqual(stopped, WELL);
  assert.deepEqual(told([["failed", 20], ["stopped", 1], ["failed", 20]]), []);
});

Deno.test("what was told before a restart is not told again, its end is", () => {
  const known: Health = { ...WELL, told: "failed", downSince: 0 };
  assert.deepEqual(told([["failed", 100]], known), []);
  assert.deepEqual(told([["starting", 20], ["running", 40]], known), ["50 running"]);
});
