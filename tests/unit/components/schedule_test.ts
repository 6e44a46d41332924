import { strict as assert } from "node:assert";
import { asksPlan } from "../../../components/board/card/toggle.ts";
import { clockText, returnText } from "../../../components/board/card/returnText.ts";
import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";
import type { PublicStream } from "../../../lib/model/schema.ts";
import { nextDay } from "../../../components/form/schedule/nextDay.ts";
import { formatPlan, parsePlan } from "../../../lib/model/plan/plan.ts";
import { NEW_TIME, pageRows, pagesText, planRows, planText } from "../../../components/form/schedule/rows.ts";

Deno.test("rows of pages: what is stored comes back as it is; blank rows are not stored", () => {
  const text = "https://a.example/ 20\nhttps://b.example/x";
  assert.equal(pagesText(pageRows(text)), text);
  assert.equal(
    pagesText([{ url: " ", seconds: "" }, { url: "a b.example", seconds: " 20 " }]),
    "a%20b.example 20",
  );
});

Deno.test("rows of times: what is stored comes back as it is; the end of a day is midnight", () => {
  const text = "Mon-Fri 08:00-18:00\nSat,Sun 22:00-06:00 https://a.example/\ndaily 00:00-24:00";
  assert.equal(planText(planRows(text)), text.replace("Sat,Sun", "Sat-Sun"));
  assert.equal(planRows("daily 18:00-24:00")[0].to, "00:00");
  assert.equal(planText([NEW_TIME]), "Mon-Fri 08:00-18:00");
});

Deno.test("rows of times: dates come back as they are, and empty ones are not stored", () => {
  const text = "2026-12-01.. Mon-Fri 08:00-18:00\n2026-12-24 daily 08:00-12:00";
  assert.deepEqual(planRows(text).map(({ isDated, first, last }) => [isDated, first, last]), [
    [true, "2026-12-01", ""],
    [true, "2026-12-24", "2026-12-24"],
  ]);
  assert.equal(formatPlan(parsePlan(planText(planRows(text)))), text);
  assert.equal(planText([{ ...NEW_TIME, isDated: true }]), "Mon-Fri 08:00-18:00");
  assert.equal(planText([{ ...NEW_TIME, first: "2026-12-01" }]), "Mon-Fri 08:00-18:00", "switched off");
});

Deno.test("rows of times: what is not filled in is told as such", () => {
  assert.equal(planText([{ ...NEW_TIME, days: Array(7).fill(false), from: "", to: "" }]), "- ?-?");
  assert.deepEqual(planRows("nonsense")[0], { ...NEW_TIME, from: "", to: "" });
});

const VALUES = {
  url: "a.example/d/1",
  morePages: "https://b.example/ 20",
  pageSeconds: "30",
  plan: "Mon-Fri 08:00-18:00\nSat 10:00-12:00 https://menu.example/",
  planTimeZone: "",
};

/** The words for 24 hours from a time of UTC; the service is in Berlin. */
function words(utc: string, values: Record<string, string> = {}) {
  return nextDay({ ...VALUES, ...values }, "Europe/Berlin", Date.parse(`${utc}Z`))
    ?.map(({ time, what }) => `${time}: ${what}`) ?? null;
}

Deno.test("the next 24 hours are told in words, in the plan's time zone", () => {
  assert.deepEqual(words("2026-11-23T11:30:40"), [
    "12:30 to 18:00: on the air: 2 pages in turn, 50 s in all",
    "18:00 to Tue 08:00: off the air",
    "Tue 08:00 to 12:30: on the air: 2 pages in turn, 50 s in all",
  ]);
  assert.deepEqual(words("2026-11-28T08:00:00", { planTimeZone: "UTC", morePages: "" }), [
    "08:00 to 10:00: off the air",
    "10:00 to 12:00: on the air: menu.example",
    "12:00 to Sun 08:00: off the air",
  ]);
  assert.deepEqual(words("2026-11-28T08:00:00", { plan: "", morePages: "" }), [
    "09:00 to Sun 09:00: on the air: a.example",
  ]);
});

Deno.test("a day ends at 24:00", () => {
  const plan = "daily 22:00-24:00";
  assert.deepEqual(words("2026-11-23T11:00:00", { plan, planTimeZone: "UTC", morePages: "" }), [
    "11:00 to 22:00: off the air",
    "22:00 to 24:00: on the air: a.example",
    "Tue 00:00 to 11:00: off the air",
  ]);
});

Deno.test("while something is not whole, the next 24 hours are not told", () => {
  assert.equal(words("2026-11-23T11:30:40", { plan: "- ?-?" }), null);
  assert.equal(words("2026-11-23T11:30:40", { morePages: "half" }), null);
  assert.equal(words("2026-11-23T11:30:40", { planTimeZone: "Mars" }), null);
});

Deno.test("when a stream returns: the time of today, and the day of another one", () => {
  const now = Date.parse("2026-11-23T11:30:00Z");
  assert.equal(returnText(Date.parse("2026-11-23T17:00:00Z"), now, "Europe/Berlin"), "18:00");
  assert.equal(returnText(Date.parse("2026-11-24T07:00:00Z"), now, "Europe/Berlin"), "Tue 08:00");
  assert.equal(returnText(Date.parse("2026-11-30T07:00:00Z"), now, "Europe/Berlin"), "30 Nov 08:00");
});

Deno.test("the next page's time has seconds, as a page may be shown for some", () => {
  assert.equal(clockText(Date.parse("2026-11-23T13:05:30Z"), "Europe/Berlin"), "14:05:30");
});

Deno.test("a start and a stop are questions of the plan where the plan would end them", () => {
  const stream = { plan: "Mon 08:00-09:00", desiredState: "running" } as PublicStream;
  const status = { id: "a", state: "running", nextTimeAt: 1, programs: [] } as never as StreamStatus;
  assert.equal(asksPlan(stream, status), true);
  assert.equal(asksPlan(stream, { ...status, state: "planned", nextTimeAt: undefined }), true);
  assert.equal(asksPlan(stream, { ...status, nextTimeAt: undefined }), false, "it is always on");
  assert.equal(asksPlan({ ...stream, plan: "" }, status), false);
  assert.equal(asksPlan({ ...stream, desiredState: "stopped" }, { ...status, state: "stopped" }), false);
});
