/**
 * Runs tests: `deno task test [layers, folders or files]`. Without a name it runs unit, app, pages and e2e; `quick` is the
 * first three. Closes with a line such as `123 passed, 0 failed`.
 *
 *     --changed[=COMMIT]  only tests that the changed files can break
 *     --shuffle[=SEED]    in another order and other company
 *     --history           which tests were red in the runs that are kept
 */
import { errorText } from "../lib/machine/tools/log.ts";
import {
  installCommand,
  installPackages,
  missingPackages,
  SERVICE_PACKAGES,
} from "../lib/machine/os/packages.ts";
import { hasAllTests } from "../tests/support/soak.ts";
import { changedFiles, testsOf } from "./test_changed.ts";
import { AGAIN, flakyCounts, flakyProblems, historyLines, newRun } from "./test_history.ts";
import { type Result, runJob, runJobs } from "./test_jobs.ts";
import { TestRun } from "./test_leaks.ts";
import { IMAGE_PACKAGES, POD_PACKAGES, TEST_PACKAGES } from "./test_packages.ts";
import { ALL, type Job, jobsOf, type Layer, layerOf, LAYERS, QUICK, STAGES, testFiles } from "./test_plan.ts";
import { leftOut, measuredTimes, outputOf } from "./test_report.ts";

/** Lines of a failure, and of the test's output. */
const FAILURE_LINES = 40;
const OUTPUT_LINES = 60;

/** Installs missing packages, or ends with the command for them; without an engine its tests are skipped. */
async function installMissing(wantsEngine: boolean, signal: AbortSignal): Promise<void> {
  const needed = await missingPackages([...SERVICE_PACKAGES, ...TEST_PACKAGES]);
  const forEngine = wantsEngine ? await missingPackages([...IMAGE_PACKAGES, ...POD_PACKAGES]) : [];
  const missing = [...new Set([...needed, ...forEngine])];
  if (missing.length === 0) return;
  console.log(`The tests use the real programs; missing: ${missing.join(" ")}`);
  if (Deno.uid() !== 0) {
    console.error(`Install them with:\n\n  ${installCommand(missing)}\n`);
    if (needed.length === 0) return;
    Deno.exit(1);
  }
  await installPackages(missing, signal).catch((error) => {
    console.error(errorText(error));
    Deno.exit(1);
  });
}

/** The value of an option such as "--shuffle=7": null: the option is not given; "": it has no value. */
function option(name: string): string | null {
  const found = Deno.args.find((arg) => arg === name || arg.startsWith(`${name}=`));
  return found === undefined ? null : found.slice(name.length + 1);
}

/** The test files that the command line means. */
function chosenFiles(): string[] {
  const names = Deno.args.filter((arg) => !arg.startsWith("--"));
  const paths = (names.length > 0 ? names : ALL).flatMap((name) =>
    name === "quick" ? QUICK.map((layer) => `tests/${layer}`) : name in LAYERS ? [`tests/${name}`] : [name]
  );
  return [...new Set(paths.flatMap(testFiles))];
}

function isWatched({ layer }: Job): boolean {
  const { isWatched = false }: Layer = LAYERS[layer];
  return isWatched;
}

/** Prints the failures: the assertion, the last observation, and the test's output. */
function printFailures({ failures, log, job }: Result): void {
  const said = failures.length === 0 || isWatched(job) ? "" : Deno.readTextFileSync(log);
  for (const { name, text } of failures) {
    console.log(`\nFAILED: ${name} (${job.name})\n${text.split("\n").slice(0, FAILURE_LINES).join("\n")}`);
    const printed = outputOf(said, name, OUTPUT_LINES);
    if (printed) console.log(printed);
    console.log(`All that it printed: ${log}`);
  }
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

function printRows(heading: string, rows: { name: string; seconds: number }[]): void {
  if (rows.length > 0) console.log(`\n${heading}`);
  for (const { name, seconds } of rows) console.log(`${seconds.toFixed(1).padStart(8)}  ${name}`);
}

if (option("--history") !== null) {
  console.log(historyLines().join("\n"));
  Deno.exit(0);
}
const shuffle = option("--shuffle");
const seed = shuffle === null ? null : Number(shuffle || Math.floor(Math.random() * 2 ** 31));
const since = option("--changed");
let files: readonly string[] = chosenFiles();
const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(name, () => stop.abort());
const layers = new Set(files.map(layerOf));
if (layers.size > 1 || !layers.has("repository")) await installMissing(layers.has("image"), stop.signal);
const from = performance.now();
const results: Result[] = [];
const stages: { name: string; seconds: number }[] = [];
/** Names of tests that were red, and green when their file ran once more, alone. */
const flaky: string[] = [];
const leaks: string[] = [];
{
  await using run = new TestRun();
  const folder = await newRun(new Date());
  const options = { folder, env: run.env, seed, signal: stop.signal };
  if (since !== null) files = await testsOf(await changedFiles(since || "HEAD"), files, run.folder);
  if (seed !== null) console.log(`The order is that of --shuffle=${seed}.`);
  for (const { layers: ofStage, atOnce } of STAGES) {
    const byLayer = Map.groupBy(files, layerOf);
    const own = ofStage.filter((layer) => byLayer.has(layer));
    if (own.length === 0 || stop.signal.aborted) continue;
    const begin = performance.now();
    const jobs: Job[] = [];
    for (const layer of own) jobs.push(...await jobsOf(layer, byLayer.get(layer)!, seed, run.folder));
    // soak judges seconds: nothing else may run
    const seen = await runJobs(jobs, hasAllTests() ? 1 : atOnce, options, printFailures);
    for (const [at, { job, failures }] of seen.entries()) {
      const { isTriedAgain = false }: Layer = LAYERS[job.layer];
      if (!isTriedAgain || failures.length === 0 || stop.signal.aborted) continue;
      console.log(`\nOnce more, alone: ${job.name}`);
      const second = await runJob(job, options, AGAIN);
      printFailures(second);
      const still = second.failures.map(({ name }) => name);
      flaky.push(...failures.map(({ name }) => name).filter((name) => !still.includes(name)));
      seen[at] = second;
    }
    results.push(...seen);
    const seconds = (performance.now() - begin) / 1000;
    const counts = own.map((layer) =>
      `${layer}: ${sum(seen.filter(({ job }) => job.layer === layer).map(({ passed }) => passed))} passed`
    );
    stages.push({ name: counts.join(", "), seconds });
    console.log(`${stages.at(-1)!.name} in ${seconds.toFixed(1)} s`);
  }
  leaks.push(...run.leaks());
}
if (stop.signal.aborted) Deno.exit(130);

printRows(
  "the slowest tests, in seconds",
  results.flatMap(({ times }) => times).sort((a, b) => b.seconds - a.seconds).slice(0, 10),
);
printRows(
  "measured, in seconds; judged in tests/soak and bench only",
  results.filter(({ job }) => job.layer === "e2e").flatMap(({ log }) =>
    measuredTimes(Deno.readTextFileSync(log))
  ),
);
printRows("stages, in seconds", [...stages, { name: "all", seconds: (performance.now() - from) / 1000 }]);

const failures = results.flatMap(({ failures }) => failures.map(({ name }) => name));
if (leaks.length > 0) failures.push(`the tests have left on this machine:\n  ${leaks.join("\n  ")}`);
const counts = flakyCounts();
for (const name of flaky) {
  console.log(`\nFLAKY: ${name} (docs/flaky.md has what is known; ${counts.get(name) ?? 1} in 20 runs)`);
}
failures.push(...flakyProblems(flaky, counts));
const skipped = results.flatMap(({ skipped, job }) => skipped.map((name) => ({ name, layer: job.layer })));
for (const { name } of skipped) console.log(`\nSKIPPED: ${name}`);
// the machine of CI can run all tests, except for tests that need an engine
const mayNotSkip = skipped.filter(({ layer }) => Deno.env.get("CI") && layer !== "image");
failures.push(...mayNotSkip.map(({ name }) => `skipped in CI: ${name}`));
for (const failure of failures) console.log(`\nRED: ${failure}`);
if (layers.has("pages") || layers.has("e2e")) {
  const logs = results.filter(({ job }) => !isWatched(job)).map(({ log }) => Deno.readTextFileSync(log));
  const files = testFiles("tests/soak").length;
  console.log(
    `\nLeft to "deno task soak": ${
      sum(logs.map(leftOut))
    } tests of these files, and ${files} files of its own.`,
  );
}
const passed = sum(results.map(({ passed }) => passed));
console.log(
  `\n${passed} passed, ${failures.length} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`,
);
const hasNothing = files.length === 0 && since !== null;
Deno.exit(failures.length === 0 && (hasNothing || passed + skipped.length > 0) ? 0 : 1);
