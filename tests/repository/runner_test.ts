/** How the tests are run: what a change chooses, what a report says, and when flaky tests are red. */
import assert from "node:assert/strict";
import { testsOf } from "../../scripts/test_changed.ts";
import { flakyProblems } from "../../scripts/test_history.ts";
import { ALL, jobsOf, shuffled, testFiles } from "../../scripts/test_plan.ts";
import { measuredTimes, outputOf, readReport } from "../../scripts/test_report.ts";
import { tempDir } from "../support/fixture.ts";

const tests = ALL.flatMap((layer) => testFiles(`tests/${layer}`));

Deno.test("a change chooses the tests that it can break", async () => {
  await using dir = await tempDir();
  const chosen = (file: string) => testsOf([file], tests, dir.path);
  const unit = "tests/unit/channel/playlist/m3u_test.ts";
  const app = "tests/app/playlist_test.ts";
  const page = "tests/pages/playlist_test.ts";
  const other = "tests/unit/channel/playlist/xmltv_test.ts";
  const rows: [changed: string, chosen: string[], left: string[]][] = [
    [unit, [unit], [app, page, other]],
    ["lib/channel/playlist/xmltv.ts", [other, app], [unit]],
    // a route's own imports reach the tests in a bundle
    ["lib/channel/playlist/m3u.ts", [unit, app, page], []],
    ["components/playlist/PlaylistDialog.tsx", [app, page], [unit, other]],
    ["static/icon.svg", [app, page], [unit, other]],
    ["docs/api.md", [], [unit, app, page, other]],
    ["README.md", [], [unit, app, page, other]],
    ["deno.json", [unit, app, page, other], []],
  ];
  for (const [changed, wanted, left] of rows) {
    const files = await chosen(changed);
    assert.deepEqual(wanted.filter((file) => !files.includes(file)), [], `${changed} chooses`);
    assert.deepEqual(left.filter((file) => files.includes(file)), [], `${changed} leaves`);
  }
});

Deno.test("a report has passed, red and skipped tests, with what the assertion said", () => {
  const report = readReport(`<testsuites><testsuite name="a_test.ts">
    <testcase name="adds &amp; subtracts" time="0.25"></testcase>
    <testcase name="is red" time="1"><failure message="x">1 &lt; 2
      at a_test.ts:3</failure></testcase>
    <testcase name="needs root" time="0"><skipped/></testcase></testsuite></testsuites>`);
  assert.equal(report.passed, 1);
  assert.deepEqual(report.failures, [{ name: "is red", text: "1 < 2\n      at a_test.ts:3" }]);
  assert.deepEqual(report.skipped, ["needs root"]);
  assert.deepEqual(report.times[0], { name: "adds & subtracts", seconds: 0.25 });
  assert.deepEqual(readReport(""), { passed: 0, failures: [], skipped: [], times: [] });
});

Deno.test("what a red test printed is found in its process's output", () => {
  const log = "first ... ok (1ms)\nis red ...\n------- output -------\nthe service said no\n" +
    "TIME start 2.5\n----- output end -----\nis red ... FAILED (3ms)\nlast ... ok (1ms)\n";
  assert.match(outputOf(log, "is red", 10), /the service said no/);
  assert.doesNotMatch(outputOf(log, "is red", 10), /first|last/);
  assert.equal(outputOf(log, "last", 10), "");
  assert.deepEqual(measuredTimes(log), [{ name: "start", seconds: 2.5 }]);
});

Deno.test("more than two flaky tests in a run are red, and one that was flaky three times in twenty", () => {
  const counts = new Map([["a", 1], ["b", 2], ["c", 1], ["d", 3]]);
  assert.deepEqual(flakyProblems([], counts), []);
  assert.deepEqual(flakyProblems(["a", "b"], counts), []);
  assert.deepEqual(flakyProblems(["a", "b", "c"], counts), ["3 tests were flaky in this run, 2 may be"]);
  assert.deepEqual(flakyProblems(["d"], counts), ["flaky 3 times in the last 20 runs, 2 may be: d"]);
});

Deno.test("the same seed gives the same order, another one another", () => {
  const list = Array.from({ length: 30 }, (_, at) => at);
  assert.deepEqual(shuffled(list, 7), shuffled(list, 7));
  assert.notDeepEqual(shuffled(list, 7), shuffled(list, 8));
  assert.deepEqual(shuffled(list, 7).sort((a, b) => a - b), list);
});

Deno.test("files of e2e run by their folders, those of os as one file, and a named one by itself", async () => {
  await using dir = await tempDir();
  const jobs = await jobsOf("e2e", testFiles("tests/e2e"), null, dir.path);
  const of = (name: string) => jobs.find((job) => job.name === name)!.files;
  assert.deepEqual(of("e2e/takeover"), testFiles("tests/e2e/takeover"));
  assert.deepEqual(of("e2e/channel"), ["tests/e2e/channel_test.ts"]);
  const [round, ...more] = of("e2e/os");
  assert.deepEqual(more, []);
  const text = await Deno.readTextFile(round);
  for (const file of testFiles("tests/e2e/os")) assert.ok(text.includes(`/${file}"`), file);
  const [named] = await jobsOf("e2e", ["tests/e2e/os/dbus_test.ts"], null, dir.path);
  assert.deepEqual(named.files, ["tests/e2e/os/dbus_test.ts"]);
});
