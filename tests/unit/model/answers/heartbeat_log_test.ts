import assert from "node:assert/strict";
import { SLOT_MS, SLOTS } from "../../../../lib/model/answers/heartbeat.ts";
import { HeartbeatLog } from "../../../../lib/model/answers/heartbeat_log.ts";
import type { StreamState } from "../../../../lib/model/answers/status.ts";

const START = 2000 * SLOT_MS;

/** A log of samples of 15 s: how many of each, one after the other. Says when it ended. */
function logOf(samples: [count: number, StreamState, reason?: string][]) {
  const log = new HeartbeatLog();
  let now = START;
  for (const [count, state, reason = ""] of samples) {
    for (let n = 0; n < count; n++, now += 15_000) log.add(state, reason, 15, now);
  }
  return { log, now: now - 15_000 };
}

const HOUR = 240;

Deno.test("the worst that was seen counts for a slot, and before the first sample nothing is known", () => {
  const { log, now } = logOf([[60, "running"], [58, "running"], [2, "degraded", "no new picture"], [
    60,
    "running",
  ]]);
  const { slots } = log.read(now);
  assert.equal(slots.length, SLOTS);
  assert.match(slots, /^-{93}gdg$/);
});

Deno.test("what a stream was good for is of the time that it was to run", () => {
  const { log, now } = logOf([[HOUR, "stopped"], [3, "starting"], [97, "running"], [2, "degraded"], [
    1,
    "failed",
  ]]);
  assert.equal(log.read(now).goodPercent, 97);
  assert.equal(logOf([[HOUR, "stopped"]]).log.read(START).goodPercent, null);
  assert.equal(new HeartbeatLog().read(now).goodPercent, null);
});

Deno.test("only what was never bad is 100 percent", () => {
  const { log, now } = logOf([[20 * HOUR, "running"], [1, "failed"]]);
  assert.equal(log.read(now).goodPercent, 99);
});

Deno.test("slots in a row that are bad for one reason are one fault, whatever the numbers in it", () => {
  const { log, now } = logOf([
    [60, "degraded", "no new picture for 8 s"],
    [60, "degraded", "no new picture for 911 s"],
    [60, "degraded", "the server answers 502"],
    [60, "running"],
    [60, "degraded", "the server answers 502"],
  ]);
  assert.deepEqual(log.read(now).faults.map(({ from, to, seconds, reason }) => [from, to, seconds, reason]), [
    [91, 92, 1800, "no new picture for 8 s"],
    [93, 93, 900, "the server answers 502"],
    [95, 95, 900, "the server answers 502"],
  ]);
});

Deno.test("the reason of a slot is the first of the worst state", () => {
  const { log, now } = logOf([[1, "degraded", "slow"], [1, "failed", "broken"], [
    1,
    "failed",
    "still broken",
  ]]);
  assert.deepEqual(log.read(now).faults.map(({ beat, reason }) => [beat, reason]), [["failed", "broken"]]);
});

Deno.test("what is older than a day is forgotten, and so is the future of a clock that was set back", () => {
  const { log, now } = logOf([[60, "failed"], [24 * HOUR, "running"]]);
  assert.match(log.read(now).slots, /^g{96}$/);
  log.add("running", "", 15, START + SLOT_MS);
  assert.match(log.read(START + SLOT_MS).slots, /^-{95}g$/);
  assert.equal(log.stored().length, 1);
});

Deno.test("a log is read back as it was, and without what is none", () => {
  const { log, now } = logOf([[60, "running"], [60, "failed", "broken"], [30, "stopped"]]);
  const text = JSON.stringify(log.stored());
  assert.deepEqual(HeartbeatLog.of(JSON.parse(text)).read(now), log.read(now));
  const broken = [null, 7, [1, 2], [1, -1, 0, 0, 0, ""], [Infinity, 0, 0, 0, 0, ""], [1, 0, 0, 0, 0, null]];
  assert.deepEqual(HeartbeatLog.of([...broken, ...JSON.parse(text)]).read(now), log.read(now));
  for (const none of [null, {}, "x"]) assert.equal(HeartbeatLog.of(none).stored().length, 0);
});

Deno.test("a day of a stream that changes all the time is small", () => {
  const { log, now } = logOf(
    Array.from({ length: 24 * HOUR }, (_, n) => [1, n % 2 ? "failed" : "running", "x".repeat(5000)] as const)
      .map(([count, state, reason]) => [count, state, reason]),
  );
  assert.ok(JSON.stringify(log.stored()).length < 30_000);
  assert.ok(JSON.stringify(log.read(now)).length < 1000, "one fault, and not one a slot");
});
