import { strict as assert } from "node:assert";
import { formatPlan, parsePlan, planProblem } from "../../../../lib/model/plan/plan.ts";
import { formatPages, pagesOf, pagesProblem, parsePages } from "../../../../lib/model/plan/pages.ts";

const stored = (text: string) => formatPlan(parsePlan(text));

for (
  const [typed, expected] of [
    ["Mon-Fri 08:00-18:00", "Mon-Fri 08:00-18:00"],
    ["mon-fri 8:00 - 18:00", "Mon-Fri 08:00-18:00"],
    ["Mon,Tue,Wed 08:00–18:00", "Mon-Wed 08:00-18:00"],
    ["Sat-Mon 22:00-06:00", "Mon,Sat-Sun 22:00-06:00"],
    ["Mon-Sun 00:00-24:00", "daily 00:00-24:00"],
    ["Wed 12:00-13:00 menu.example.org/today", "Wed 12:00-13:00 https://menu.example.org/today"],
    ["\n daily 08:00-09:00 \n\nSun 10:00-11:00", "daily 08:00-09:00\nSun 10:00-11:00"],
    ["", ""],
  ]
) {
  Deno.test(`plan: ${JSON.stringify(typed)} is stored as ${JSON.stringify(expected)}`, () => {
    assert.equal(stored(typed), expected);
    assert.equal(stored(expected), expected);
  });
}

for (
  const [typed, problem] of [
    ["Mon-Fri", /line 1: "Mon-Fri" has no days, or no times\. Example: Mon-Fri 08:00-18:00/],
    ["daily 08:00-18:00\nMonday 08:00-18:00", /line 2: "Monday" is not a day\. Days are Mon, Tue/],
    ["- 08:00-18:00", /line 1: No day is chosen/],
    ["Mon ?-18:00", /line 1: "\?" is not a time of the day/],
    ["Mon 08:00-?", /line 1: "\?" is not a time of the day/],
    ["Mon 08:00-25:00", /"25:00" is not a time of the day/],
    ["Mon 08:60-09:00", /"08:60" is not a time of the day/],
    ["Mon 08:00-08:00", /ends when it begins\. The whole day is 00:00-24:00/],
    ["Mon 24:00-08:00", /begins before 24:00/],
    ["Mon 22:00-00:00", /ends after 00:00/],
    ["Mon 08:00-09:00 file:///etc/passwd", /Only http and https addresses/],
    ["Mon 08:00-09:00 http://169.254.169.254/", /metadata/],
    ["Mon 08:00-09:00 http://wall.browser-stream.alt/wall?layout=a", /a stream of its own/],
    [Array(51).fill("Mon 08:00-09:00").join("\n"), /at most 50 lines/],
  ] as const
) {
  Deno.test(`plan: ${JSON.stringify(typed.slice(0, 40))} is refused in words`, () => {
    assert.match(planProblem(typed)!, problem);
  });
}

Deno.test("pages: addresses are completed, seconds are the page's own or all pages'", () => {
  const text = "status.example.org 20\n\n  http://wall.local/b";
  assert.equal(formatPages(parsePages(text)), "https://status.example.org 20\nhttp://wall.local/b");
  assert.deepEqual(pagesOf({ url: "https://a.example/", pageSeconds: 30, morePages: text }), [
    { url: "https://a.example/", seconds: 30 },
    { url: "https://status.example.org", seconds: 20 },
    { url: "http://wall.local/b", seconds: 30 },
  ]);
  assert.equal(pagesProblem(text), null);
});

for (
  const [typed, problem] of [
    ["https://a.example/\nword", /^line 2: This is not a complete web address/],
    ["https://a.example/ 4", /^line 1: After the address come the seconds it is shown, 5 to 86400/],
    ["https://a.example/ soon", /^line 1: After the address/],
    ["https://a.example/ 20 30", /^line 1: After the address/],
    ["http://wall.browser-stream.alt/wall?layout=a", /^line 1: A wall of this service/],
    [Array(31).fill("https://a.example/").join("\n"), /at most 30/],
  ] as const
) {
  Deno.test(`pages: ${JSON.stringify(typed.slice(0, 40))} is refused in words`, () => {
    assert.match(pagesProblem(typed)!, problem);
  });
}
