/** A plan's first and last days, and what a person wants of a planned stream for a time. */
import { strict as assert } from "node:assert";
import { endOf, type PlanOverride, withOverrideOf } from "../../../../lib/model/plan/stop_until.ts";
import { formatPlan, parsePlan, planProblem } from "../../../../lib/model/plan/plan.ts";
import { nextTimeAt, Timetable } from "../../../../lib/model/plan/timetable.ts";

const OWN = "https://a.example/";
const FIELDS = { url: OWN, morePages: "", pageSeconds: 30, planTimeZone: "Europe/Berlin" };

const at = (utc: string) => Date.parse(`${utc}Z`);
const text = (time: number | null) => time === null ? null : new Date(time).toISOString().slice(0, 16);

function timetable(plan: string, planOverride?: PlanOverride): Timetable {
  return new Timetable({ ...FIELDS, plan, planOverride }, "UTC");
}

/** The periods of UTC when it is on the air. */
function onAir(table: Timetable, from: string, to: string): string[] {
  return table.periods(at(from), at(to)).filter(({ show }) => show.length > 0)
    .map(({ from, to }) => `${text(from)} ${text(to)}`);
}

for (
  const [typed, expected] of [
    ["2026-12-01..2026-12-24 mon-fri 8:00-18:00", "2026-12-01..2026-12-24 Mon-Fri 08:00-18:00"],
    ["2026-12-01..  daily 08:00-18:00", "2026-12-01.. daily 08:00-18:00"],
    ["..2026-12-24 daily 08:00-18:00 a.example/x", "..2026-12-24 daily 08:00-18:00 https://a.example/x"],
    ["2026-12-24 daily 08:00-12:00", "2026-12-24 daily 08:00-12:00"],
    ["2026-12-24..2026-12-24 Thu 08:00-12:00", "2026-12-24 Thu 08:00-12:00"],
  ]
) {
  Deno.test(`plan with dates: ${JSON.stringify(typed)} is stored as ${JSON.stringify(expected)}`, () => {
    assert.equal(formatPlan(parsePlan(typed)), expected);
    assert.equal(formatPlan(parsePlan(expected)), expected);
  });
}

for (
  const [typed, problem] of [
    [
      "2026-02-30 daily 08:00-18:00",
      /line 1: "2026-02-30" is not a day\. Example: 2026-12-01\.\.2026-12-24 Mon-Fri/,
    ],
    ["2026-12-1 daily 08:00-18:00", /"2026-12-1" is not a day/],
    ["1.12.2026 daily 08:00-18:00", /"1\.12\.2026" is not a day/],
    ["2026-12-24..2026-12-01 daily 08:00-18:00", /last day is before its first one/],
    [".. daily 08:00-18:00", /is not a day, or not two days/],
    ["2026-12-01..2026-12-02..2026-12-03 daily 08:00-18:00", /is not a day, or not two days/],
    ["2026-12-24 Mon 08:00-18:00", /None of its days is from 2026-12-24 to 2026-12-24/],
    ["2026-12-24..2026-12-25 Sat-Wed 08:00-18:00", /None of its days/],
  ] as const
) {
  Deno.test(`plan with dates: ${JSON.stringify(typed)} is refused in words`, () => {
    assert.match(planProblem(typed)!, problem);
  });
}

Deno.test("a time with dates begins on its first day, and its last night ends the day after", () => {
  const table = timetable("2026-11-24..2026-11-25 daily 22:00-06:00");
  assert.deepEqual(onAir(table, "2026-11-20T00:00", "2026-12-20T00:00"), [
    "2026-11-24T21:00 2026-11-25T05:00",
    "2026-11-25T21:00 2026-11-26T05:00",
  ]);
});

Deno.test("a plan's next change is found months ahead, by the clocks of then", () => {
  // Berlin is an hour ahead of UTC in winter, and two in summer
  const table = timetable("2027-07-01..2027-07-01 daily 08:00-09:00\n2027-12-01.. Wed 08:00-09:00");
  const winter = at("2026-11-24T12:00");
  assert.equal(text(table.changesAt(winter)), "2027-07-01T06:00");
  assert.equal(text(table.changesAt(at("2027-07-01T06:00"))), "2027-07-01T07:00");
  assert.equal(text(table.changesAt(at("2027-07-01T07:00"))), "2027-12-01T07:00");
  assert.equal(text(timetable("..2026-01-01 daily 00:00-24:00").changesAt(winter)), null);
  assert.equal(text(timetable("..2026-12-31 daily 00:00-24:00").changesAt(winter)), "2026-12-31T23:00");
});

Deno.test("a dated time above the whole day takes its place on its days only", () => {
  const table = timetable("2026-12-24 daily 12:00-13:00 https://menu.example/\nMon-Fri 08:00-18:00");
  const url = (utc: string) => table.at(at(utc))[0]?.url;
  assert.equal(url("2026-12-23T11:30"), OWN);
  assert.equal(url("2026-12-24T11:30"), "https://menu.example/");
  assert.equal(url("2026-12-25T11:30"), OWN);
});

const PLAN = "Mon-Fri 08:00-18:00";
const MONDAY_NIGHT = at("2026-11-23T20:00");

Deno.test("on the air now: it is on until then, and its plan goes on from there", () => {
  const table = timetable(PLAN, { onAir: true, until: at("2026-11-23T21:00") });
  assert.deepEqual(onAir(table, "2026-11-23T20:00", "2026-11-24T20:00"), [
    "2026-11-23T20:00 2026-11-23T21:00",
    "2026-11-24T07:00 2026-11-24T17:00",
  ]);
  // in a time of the plan, the plan's own page is shown
  const menu = `Mon-Fri 08:00-18:00 https://menu.example/`;
  const within = timetable(menu, { onAir: true, until: at("2026-11-24T09:00") });
  assert.equal(within.at(at("2026-11-24T06:30"))[0].url, OWN);
  assert.equal(within.at(at("2026-11-24T08:00"))[0].url, "https://menu.example/");
});

Deno.test("stopped until the next time: it is off until then, however far that is", () => {
  const next = nextTimeAt({ ...FIELDS, plan: PLAN }, "UTC", at("2026-11-23T10:00"))!;
  assert.equal(text(next), "2026-11-24T07:00");
  const table = timetable(PLAN, { onAir: false, until: next });
  assert.deepEqual(onAir(table, "2026-11-23T10:00", "2026-11-24T20:00"), [
    "2026-11-24T07:00 2026-11-24T17:00",
  ]);
  assert.equal(text(table.changesAt(at("2026-11-23T10:00"))), "2026-11-24T07:00");
  const yearly = { ...FIELDS, plan: `${PLAN}\n2027-07-03.. Sat 08:00-09:00` };
  assert.equal(
    text(nextTimeAt({ ...yearly, plan: "2027-07-03.. Sat 08:00-09:00" }, "UTC", next)),
    "2027-07-03T06:00",
  );
});

Deno.test("the next time is that of the plan alone, and a plan without an end has none", () => {
  const override = { onAir: true, until: at("2026-11-23T22:00") };
  assert.equal(
    text(nextTimeAt({ ...FIELDS, plan: PLAN, planOverride: override }, "UTC", MONDAY_NIGHT)),
    "2026-11-24T07:00",
  );
  assert.equal(nextTimeAt({ ...FIELDS, plan: "daily 00:00-24:00" }, "UTC", MONDAY_NIGHT), null);
  const pages = "daily 00:00-12:00 https://b.example/\ndaily 12:00-24:00";
  assert.equal(text(nextTimeAt({ ...FIELDS, plan: pages }, "UTC", MONDAY_NIGHT)), "2026-11-23T23:00");
});

Deno.test("some minutes end at a whole minute", () => {
  assert.equal(text(endOf(60, at("2026-11-23T20:00:01"))), "2026-11-23T21:01");
  assert.equal(text(endOf(15, at("2026-11-23T20:00"))), "2026-11-23T20:15");
});

Deno.test("a change of the plan or of the desired state ends what was wanted for a time, others do not", () => {
  const planOverride = { onAir: true, until: 1 };
  const before = { plan: PLAN, planTimeZone: "", desiredState: "running", name: "A", planOverride };
  const kept = (change: Record<string, unknown>) =>
    withOverrideOf(before, { ...before, ...change }).planOverride;
  assert.equal(kept({ name: "B" }), planOverride);
  assert.equal(kept({ planOverride: { onAir: false, until: 9 } }), planOverride, "nobody else sets it");
  for (const change of [{ plan: "" }, { planTimeZone: "UTC" }, { desiredState: "stopped" }]) {
    assert.equal(kept(change), undefined, JSON.stringify(change));
  }
});
