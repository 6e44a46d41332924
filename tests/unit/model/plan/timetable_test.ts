import { strict as assert } from "node:assert";
import { Zone } from "../../../../lib/model/plan/local_time.ts";
import {
  otherAddresses,
  otherOrigins,
  type PlannedFields,
  Timetable,
} from "../../../../lib/model/plan/timetable.ts";

const URL_A = "https://a.example/";
const MENU = "https://menu.example/";

function timetable(plan: string, fields: Partial<PlannedFields> = {}): Timetable {
  const base = { url: URL_A, morePages: "", pageSeconds: 30, planTimeZone: "Europe/Berlin" };
  return new Timetable({ ...base, plan, ...fields }, "UTC");
}

/** What is on at a time of UTC: the pages' addresses. */
const on = (table: Timetable, utc: string) => table.at(Date.parse(`${utc}Z`)).map(({ url }) => url);

/** Its periods, with times of UTC. */
function periods(table: Timetable, from: string, to: string): string[] {
  const text = (at: number) => new Date(at).toISOString().slice(5, 16);
  return table.periods(Date.parse(`${from}Z`), Date.parse(`${to}Z`)).map(({ from, to, show }) =>
    `${text(from)} ${text(to)} ${show.length}`
  );
}

Deno.test("a clock on the wall: weekdays and minutes, also before 1970 and in zones of 45 minutes", () => {
  const at = (zone: string, utc: string) => {
    const { weekday, minute } = Zone.named(zone).localTime(Date.parse(`${utc}Z`));
    return [weekday, `${Math.floor(minute / 60)}:${minute % 60}`];
  };
  assert.deepEqual(at("UTC", "2026-11-23T03:04"), [0, "3:4"]);
  assert.deepEqual(at("Asia/Kathmandu", "2026-11-22T20:00"), [0, "1:45"]);
  assert.deepEqual(at("America/New_York", "2026-11-23T03:04"), [6, "22:4"]);
  assert.deepEqual(at("UTC", "1969-12-31T23:59"), [2, "23:59"]);
  assert.throws(() => Zone.named("Mars/Olympus"), RangeError);
});

Deno.test("without a plan it is always on, with all its pages", () => {
  const table = timetable("", { morePages: `${MENU} 20` });
  assert.deepEqual(on(table, "2026-11-23T03:04"), [URL_A, MENU]);
  assert.equal(table.changesAt(Date.parse("2026-11-23T00:00Z")), null);
  assert.deepEqual(periods(table, "2026-11-23T00:00", "2026-11-25T00:00"), ["11-23T00:00 11-25T00:00 2"]);
});

Deno.test("with a plan it is on at its times, in its zone, and the first line that fits counts", () => {
  const table = timetable(`Mon-Fri 12:00-13:00 ${MENU}\nMon-Fri 08:00-18:00`);
  // Berlin is an hour ahead of UTC in November
  assert.deepEqual(on(table, "2026-11-23T06:59"), []);
  assert.deepEqual(on(table, "2026-11-23T07:00"), [URL_A]);
  assert.deepEqual(on(table, "2026-11-23T11:30"), [MENU]);
  assert.deepEqual(on(table, "2026-11-28T11:30"), []);
  assert.deepEqual(periods(table, "2026-11-23T00:00", "2026-11-24T00:00"), [
    "11-23T00:00 11-23T07:00 0",
    "11-23T07:00 11-23T11:00 1",
    "11-23T11:00 11-23T12:00 1",
    "11-23T12:00 11-23T17:00 1",
    "11-23T17:00 11-24T00:00 0",
  ]);
  const reversed = timetable(`Mon-Fri 08:00-18:00\nMon-Fri 12:00-13:00 ${MENU}`);
  assert.deepEqual(on(reversed, "2026-11-23T11:30"), [URL_A]);
});

Deno.test("a time over midnight belongs to the day when it begins", () => {
  const table = timetable("Sun 22:00-06:00", { planTimeZone: "" });
  assert.deepEqual(periods(table, "2026-11-22T00:00", "2026-11-24T00:00"), [
    "11-22T00:00 11-22T22:00 0",
    "11-22T22:00 11-23T06:00 1",
    "11-23T06:00 11-24T00:00 0",
  ]);
});

Deno.test("the whole week without a gap, and a plan that is never over, have no change", () => {
  assert.equal(timetable("daily 00:00-24:00").changesAt(Date.parse("2026-03-25T00:00Z")), null);
  assert.equal(
    timetable("daily 00:00-12:00\ndaily 12:00-24:00").changesAt(Date.parse("2026-11-23T00:00Z")),
    null,
  );
});

Deno.test("it returns after a week at most: on Monday again", () => {
  const at = timetable("Mon 08:00-09:00").changesAt(Date.parse("2026-11-23T08:00Z"));
  assert.equal(new Date(at!).toISOString(), "2026-11-30T07:00:00.000Z");
});

Deno.test("as clocks go forward, the day is an hour shorter; a time in that hour begins after it", () => {
  // on 2026-03-29 Berlin's clocks go from 02:00 to 03:00, at 01:00 UTC
  const table = timetable("daily 02:30-04:00");
  assert.deepEqual(periods(table, "2026-03-28T00:00", "2026-03-30T00:00"), [
    "03-28T00:00 03-28T01:30 0",
    "03-28T01:30 03-28T03:00 1",
    "03-28T03:00 03-29T01:00 0",
    "03-29T01:00 03-29T02:00 1",
    "03-29T02:00 03-30T00:00 0",
  ]);
});

Deno.test("as clocks go back, the wall's clock counts: what is within the hour that comes twice is on twice", () => {
  // on 2026-10-25 Berlin's clocks go from 03:00 to 02:00, at 01:00 UTC
  assert.deepEqual(periods(timetable("daily 02:15-02:45"), "2026-10-25T00:00", "2026-10-25T03:00"), [
    "10-25T00:00 10-25T00:15 0",
    "10-25T00:15 10-25T00:45 1",
    "10-25T00:45 10-25T01:15 0",
    "10-25T01:15 10-25T01:45 1",
    "10-25T01:45 10-25T03:00 0",
  ]);
  assert.deepEqual(periods(timetable("daily 00:00-06:00"), "2026-10-24T21:00", "2026-10-25T06:00"), [
    "10-24T21:00 10-24T22:00 0",
    "10-24T22:00 10-25T05:00 1",
    "10-25T05:00 10-25T06:00 0",
  ]);
});

Deno.test("the addresses beside its own are those of its other pages and its plan, each once", () => {
  const fields = { morePages: `${MENU} 20\nhttps://b.example/x`, plan: `daily 00:00-24:00 ${MENU}` };
  assert.deepEqual(otherAddresses(fields), [MENU, "https://b.example/x"]);
  assert.deepEqual(otherOrigins(fields), ["https://b.example", "https://menu.example"]);
  assert.deepEqual(otherOrigins({ morePages: "", plan: "nonsense" }), []);
});
