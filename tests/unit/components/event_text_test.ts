import { strict as assert } from "node:assert";
import { byDay, countText, matches, timeOfDay } from "../../../components/log/eventText.ts";
import type { StreamEvent } from "../../../lib/model/answers/shapes.ts";

const at = Date.UTC(2026, 10, 22, 13, 3, 27);
const HOUR = 3_600_000;
const event = (fields: Partial<StreamEvent>): StreamEvent => {
  const first = fields.at ?? at;
  return {
    id: 1,
    at: first,
    kind: "page",
    level: "info",
    text: "Opened.",
    count: 1,
    lastAt: first,
    ...fields,
  };
};

Deno.test("events are grouped by the day of a zone, by the last time each came", () => {
  const events = [
    event({}),
    event({ at: at + 8 * HOUR, lastAt: at + 12 * HOUR }),
    event({ at: at + 13 * HOUR }),
  ];
  const days = (zone: string) => byDay(events, zone).map(({ name, events }) => [name, events.length]);
  assert.deepEqual(days("UTC"), [["Sunday, 22 November 2026", 1], ["Monday, 23 November 2026", 2]]);
  assert.deepEqual(days("America/New_York"), [["Sunday, 22 November 2026", 3]]);
});

Deno.test("times are those of a zone, to the second", () => {
  assert.equal(timeOfDay(at, "UTC"), "13:03:27");
  assert.equal(timeOfDay(at, "Asia/Tokyo"), "22:03:27");
});

Deno.test("what came again says how often and since when, with the day where that is another", () => {
  assert.equal(countText(event({}), "UTC"), "");
  assert.equal(countText(event({ count: 12, lastAt: at + HOUR }), "UTC"), "12 times since 13:03");
  assert.equal(countText(event({ count: 2, lastAt: at + 24 * HOUR }), "UTC"), "2 times since 22 Nov, 13:03");
});

Deno.test("a filter finds the words that are shown, whatever their case", () => {
  const warning = event({ level: "warn", text: "The server answered 502." });
  for (const query of ["page", "WARNING", "answered 5"]) assert.ok(matches(warning, query), query);
  assert.ok(!matches(event({}), "warning"));
});
