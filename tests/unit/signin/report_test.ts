import { strict as assert } from "node:assert";
import { type LoginReport, parseReport, shortText } from "../../../lib/signin/report.ts";

const REPORT: LoginReport = { login: "failed", seen: "Wrong password", tries: 1, isLast: false };
const line = (report: object) => `report ${JSON.stringify(report)}`;

Deno.test("login report: what the helper writes is read", () => {
  assert.deepEqual(parseReport(line(REPORT)), REPORT);
});

Deno.test("login report: nothing else is believed", () => {
  const wrong = [
    "",
    "report",
    "report {",
    "report null",
    "no login now: the browser does not run",
    line({ ...REPORT, login: "hacked" }),
    line({ ...REPORT, seen: "x".repeat(201) }),
    line({ ...REPORT, seen: "two\nlines" }),
    line({ ...REPORT, seen: "\u001b[31m" }),
    line({ ...REPORT, seen: "\u202e" }),
    line({ ...REPORT, tries: 6 }),
    line({ ...REPORT, tries: "1" }),
    line({ ...REPORT, more: 1 }),
    line({ ...REPORT, seen: undefined }),
    `report ${" ".repeat(3000)}${JSON.stringify(REPORT)}`,
  ];
  assert.deepEqual(wrong.filter((one) => parseReport(one) !== null), []);
});

Deno.test("login report: a page's text is short, on one line, and without the password", () => {
  assert.equal(shortText(" Wrong\n\t password\u202e ", []), "Wrong password");
  assert.equal(shortText("user ops: s3cret is wrong, s3cret!", ["s3cret", ""]), "user ops: … is wrong, …!");
  const long = shortText("x".repeat(500), []);
  assert.equal(long.length, 200);
  assert.deepEqual(parseReport(line({ ...REPORT, seen: long }))?.seen, long);
});
