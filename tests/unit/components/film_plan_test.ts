/** Films of the past: their times as people type them, in words, and what is left out. */
import assert from "node:assert/strict";
import {
  filmLengthText,
  lengthText,
  rangeText,
  sizeText,
} from "../../../components/rewind/export/exportText.ts";
import { filmPlan, keptPart, rangeProblem } from "../../../components/rewind/export/filmPlan.ts";
import { localText, momentsOf } from "../../../components/rewind/export/localTime.ts";

const BERLIN = "Europe/Berlin";
const at = (time: string) => Date.parse(time) / 1000;

Deno.test("a typed time is one moment, none or two, as the clock is changed", () => {
  const cases: [text: string, zone: string, moments: string[] | null][] = [
    ["2026-11-30T21:10:07", BERLIN, ["2026-11-30T20:10:07Z"]],
    ["2026-11-30T21:10", BERLIN, ["2026-11-30T20:10:00Z"]],
    ["2026-03-29T02:30:00", BERLIN, []],
    ["2026-10-25T02:30:00", BERLIN, ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"]],
    ["2026-04-05T01:45:00", "Australia/Lord_Howe", ["2026-04-04T14:45:00Z", "2026-04-04T15:15:00Z"]],
    ["2026-11-30T12:00:00", "Pacific/Kiritimati", ["2026-11-29T22:00:00Z"]],
    ["2026-02-30T12:00:00", BERLIN, []],
    ["", BERLIN, null],
    ["2026-13-01T00:00", BERLIN, null],
    ["12026-11-30T21:10", BERLIN, null],
  ];
  for (const [text, zone, moments] of cases) {
    assert.deepEqual(momentsOf(text, zone), moments?.map(at) ?? null, `${text} ${zone}`);
  }
  assert.equal(localText(at("2026-11-30T23:00:00Z"), BERLIN), "2026-12-01T00:00:00");
});

Deno.test("times, lengths and sizes in words", () => {
  assert.equal(lengthText(86_400), "24 hours");
  assert.equal(lengthText(3605), "1 hour 5 seconds");
  assert.equal(filmLengthText(0.5), "less than a second");
  assert.equal(filmLengthText(59.6), "1 minute");
  assert.equal(sizeText(830), "1 kB");
  assert.equal(sizeText(12_345_678), "12.3 MB");
  assert.equal(sizeText(2_500_000_000), "2.5 GB");
  const one = { start: at("2026-11-30T20:10:00Z"), end: at("2026-11-30T20:15:00Z") };
  assert.equal(rangeText(one, BERLIN), "Monday 30 November 2026, 21:10:00 to 21:15:00");
  const change = { start: at("2026-10-24T23:50:00Z"), end: at("2026-10-25T01:10:00Z") };
  assert.equal(rangeText(change, BERLIN), "Sunday 25 October 2026, 01:50:00 CEST to 02:10:00 CET");
  const night = { start: at("2026-11-30T22:50:00Z"), end: at("2026-11-30T23:10:00Z") };
  assert.equal(
    rangeText(night, BERLIN),
    "Monday 30 November 2026 to Tuesday 1 December 2026, 23:50:00 to 00:10:00",
  );
});

Deno.test("what is left out of a film: gaps, as far as they reach into it, and what is yet to come", () => {
  const changes = {
    askedAt: 1000,
    start: 100,
    end: 1000,
    scale: 86_400,
    slots: [],
    gaps: [
      { start: 50, end: 120, reason: null },
      { start: 300, end: 400, reason: "visit" as const },
      { start: 997, end: 1000, reason: null },
    ],
  };
  assert.deepEqual(filmPlan({ start: 100, end: 1060 }, changes, 1000), {
    range: { start: 100, end: 1060 },
    seconds: 780,
    leftOut: [
      { start: 100, end: 120, says: "Nothing is kept of this time." },
      { start: 300, end: 400, says: "Not kept: somebody used the browser by VNC." },
      { start: 1000, end: 1060, says: "This is yet to come." },
    ],
  });
  assert.deepEqual(filmPlan({ start: 1100, end: 1160 }, null, 1000), {
    range: { start: 1100, end: 1160 },
    seconds: 0,
    leftOut: [{ start: 1100, end: 1160, says: "This is yet to come." }],
  });
});

Deno.test("a film begins with what is kept of the bar, and is a day long at most", () => {
  assert.deepEqual(keptPart({ start: 0, end: 300 }, { start: 100, end: 200 }), { start: 100, end: 200 });
  assert.deepEqual(keptPart({ start: 0, end: 300 }, { start: 400, end: 500 }), { start: 0, end: 300 });
  assert.deepEqual(keptPart({ start: 0, end: 300 }, null), { start: 0, end: 300 });
  assert.equal(rangeProblem({ start: 0, end: 86_400 }), null);
  for (const end of [100, 50, 100 + 86_401]) assert.equal(rangeProblem({ start: 100, end })?.field, "end");
});
