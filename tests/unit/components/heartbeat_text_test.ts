import { strict as assert } from "node:assert";
import { faultText, heartbeatLabel, runsOf, slotText } from "../../../components/board/card/heartbeatText.ts";
import type { Heartbeat } from "../../../lib/model/answers/shapes.ts";

const MINUTE = 60_000;
const span = { from: Date.UTC(2026, 10, 22, 0, 0), slotMs: 15 * MINUTE };
const fault = { from: 56, to: 57, beat: "degraded", seconds: 150, reason: "no new picture" } as const;
const bad: Heartbeat = {
  slots: `${"-".repeat(20)}${"s".repeat(20)}${"g".repeat(16)}dd${"g".repeat(38)}`,
  goodPercent: 97,
  faults: [fault],
};

Deno.test("a bar says in words what it shows", () => {
  assert.equal(heartbeatLabel(span, bad), "Last 24 hours: 97 % good, 1 fault");
  assert.equal(
    heartbeatLabel(span, { ...bad, faults: [fault, fault] }),
    "Last 24 hours: 97 % good, 2 faults",
  );
  assert.equal(
    heartbeatLabel(span, { slots: "g".repeat(96), goodPercent: 100, faults: [] }),
    "Last 24 hours: 100 % good, no fault",
  );
  const none = { goodPercent: null, faults: [] };
  assert.equal(heartbeatLabel(span, { slots: "s".repeat(96), ...none }), "Last 24 hours: stopped");
  assert.equal(
    heartbeatLabel(span, { slots: "-".repeat(96), ...none }),
    "Last 24 hours: no data yet",
  );
});

Deno.test("a bar of 30 days says so, and names days", () => {
  const month = { from: Date.UTC(2026, 10, 1), slotMs: 8 * 60 * MINUTE };
  const slots = `${"g".repeat(88)}fg`;
  const faults = [{ from: 88, to: 88, beat: "failed" as const, seconds: 7200, reason: "" }];
  assert.equal(heartbeatLabel(month, { slots, goodPercent: 99, faults }), "Last 30 days: 99 % good, 1 fault");
  assert.equal(
    slotText(month, { slots, goodPercent: 99, faults: [] }, 88, "UTC"),
    "Mon 30 Nov, 08:00–Mon 30 Nov, 16:00: failed",
  );
});

Deno.test("a fault says when, how long and why", () => {
  assert.equal(faultText(span, fault, "UTC"), "14:00–14:30: degraded for 2 min. No new picture");
  assert.equal(faultText(span, { ...fault, reason: "" }, "Asia/Tokyo"), "23:00–23:30: degraded for 2 min.");
});

Deno.test("every slot says how it was", () => {
  assert.equal(slotText(span, bad, 57, "UTC"), "14:00–14:30: degraded for 2 min. No new picture");
  assert.equal(slotText(span, bad, 58, "UTC"), "14:30–14:45: good");
  assert.equal(slotText(span, bad, 0, "UTC"), "00:00–00:15: no data");
  assert.equal(slotText(span, bad, 39, "UTC"), "09:45–10:00: stopped");
});

Deno.test("slots in a row that are alike are drawn as one", () => {
  assert.deepEqual(runsOf(bad).map(({ beat, from, length }) => [beat, from, length]), [
    ["unknown", 0, 20],
    ["stopped", 20, 20],
    ["good", 40, 16],
    ["degraded", 56, 2],
    ["good", 58, 38],
  ]);
});
