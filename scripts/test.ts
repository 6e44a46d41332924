/**
 * All tests but the long ones, or all those below the given paths: `deno task test [tests/unit …]`. With `--all` the long
 * tests too (tests/support/long.ts), and those of the image. Closes with a line such as `123 passed, 0 failed`.
 */
import { join } from "node:path";
import { errorText } from "../lib/system/log.ts";
import {
  installCommand,
  installPackages,
  missingPackages,
  SERVICE_PACKAGES,
} from "../lib/system/packages.ts";
import { TestRun } from "./test_leaks.ts";
import { IMAGE_PACKAGES, TEST_PACKAGES } from "./test_packages.ts";
import { makeRounds } from "./test_rounds.ts";
import { readReport, type Report } from "./test_report.ts";

const root = new URL("..", import.meta.url).pathname;

interface Group {
  name: string;
  paths: string[];
  /** How many files run at a time; as many as there are cores when absent. */
  jobs?: number;
  /** Into how many files they are put together; each runs for itself when absent. */
  rounds?: number;
  /** As `nice` has it; only root may ask for less than 0. */
  niceness?: number;
}

interface Result extends Report {
  group: string;
  seconds: number;
}

/** What is killed has to be back within seconds; until then there is time for others, which give way. */
const HEALING = ["tests/e2e/healing_test.ts"];
/** Whoever looks at each picture, or at how long others take, must not wait; a viewer without a GPU needs a core and more. */
const ALONE = [
  ...["app/load", "e2e/channel", "e2e/clients", "e2e/cover"],
  ...["e2e/hls_js", "e2e/rotation"],
].map((name) => `tests/${name}_test.ts`);
/** Of the others: the longest first, so that none of them is left alone at the end. */
const LONGEST = ["start", "vnc_page", "streams", "users", "page_health", "takeover", "cycles"]
  .map((name) => `tests/e2e/${name}_test.ts`);

/** Every test of these files is long. */
const LONG = [
  "capture_refused",
  "compiled",
  "cycles",
  "hls_js",
  "hostile_page",
  "page_health",
  "rotation",
  "users",
].map((name) => `tests/e2e/${name}_test.ts`);

/** Built and run by an engine. */
const IMAGE = "tests/image";

/** The groups of a step run at the same time. */
function steps(isShort: boolean): Group[][] {
  const isWanted = (path: string) => !(isShort && LONG.includes(path));
  const filesOf = (folder: string): string[] =>
    Array.from(Deno.readDirSync(join(root, folder)))
      .flatMap(({ name, isDirectory }) => isDirectory ? filesOf(`${folder}/${name}`) : [`${folder}/${name}`])
      .filter((path) => path.endsWith("_test.ts") && ![...HEALING, ...ALONE].includes(path) && isWanted(path))
      .sort();
  const others = filesOf("tests/e2e").filter((path) => !LONGEST.includes(path));
  return [
    [
      { name: "healing", paths: HEALING, jobs: 1, niceness: Deno.uid() === 0 ? -10 : 0 },
      {
        name: "unit, http",
        paths: [...filesOf("tests/unit"), ...filesOf("tests/app")],
        rounds: 8,
        jobs: 4, // two would leave a third of the processors unused
        niceness: 5,
      },
    ],
    [{ name: "ui", paths: filesOf("tests/pages"), rounds: 6 }],
    // each waits for its programs a third of its time; of the long ones some start ten browsers
    [{ name: "pipeline", paths: [...LONGEST.filter(isWanted), ...others], jobs: isShort ? 3 : 2 }],
    [{ name: "alone", paths: ALONE.filter(isWanted), jobs: 1 }],
  ];
}

/** Installs what is not here, or ends with what has to be installed; without an engine its tests are skipped. */
async function installMissing(wantsEngine: boolean): Promise<void> {
  const needed = await missingPackages([...SERVICE_PACKAGES, ...TEST_PACKAGES]);
  const forEngine = wantsEngine ? await missingPackages(IMAGE_PACKAGES) : [];
  const missing = [...new Set([...needed, ...forEngine])];
  if (missing.length === 0) return;
  console.log(`The tests use the real programs; missing: ${missing.join(" ")}`);
  if (Deno.uid() !== 0) {
    console.error(`Install them with:\n\n  ${installCommand(missing)}\n`);
    if (needed.length === 0) return;
    Deno.exit(1);
  }
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(name, () => stop.abort());
  await installPackages(missing, stop.signal).catch((error) => {
    console.error(errorText(error));
    Deno.exit(1);
  });
}

/** Runs test files in a process of their own. Types are `deno task check`'s. */
async function runGroup(
  { name, paths, jobs, rounds, niceness = 0 }: Group,
  run: TestRun,
  isShort: boolean,
): Promise<Result> {
  const file = await Deno.makeTempFile({ suffix: ".xml" });
  const files = rounds === undefined ? paths : await makeRounds(
    paths.map((path) => join(root, path)),
    rounds,
    await Deno.makeTempDir({ dir: run.folder }),
  );
  const from = performance.now();
  const command = [...(niceness === 0 ? [] : ["nice", "-n", String(niceness)]), Deno.execPath()];
  const { code } = await new Deno.Command(command[0], {
    args: [
      ...command.slice(1),
      ...["test", "-A", "--no-check", "--sanitize-ops", "--sanitize-resources", `--junit-path=${file}`],
      ...(jobs === 1 ? [] : ["--parallel"]),
      ...files,
    ],
    env: {
      ...run.env,
      TEST_LENGTH: isShort ? "short" : "all",
      ...(jobs === undefined ? {} : { DENO_JOBS: String(jobs) }),
    },
    cwd: root,
    stdin: "null",
    stdout: "inherit",
    stderr: "inherit",
  }).spawn().status;
  const report = readReport(await Deno.readTextFile(file));
  await Deno.remove(file);
  const hasRun = report.passed + report.skipped.length > 0;
  const hasCrashed = report.failures.length === 0 && (code !== 0 || !hasRun);
  if (hasCrashed) report.failures.push(`${paths.join(" ")}: ended with ${code}, ${report.passed} passed`);
  return { ...report, group: name, seconds: (performance.now() - from) / 1000 };
}

/** Where the time went. @param seconds of all together: some groups run at the same time. */
function printTimes(results: Result[], seconds: number): void {
  const row = (name: string, tests: number | string, seconds: number | string) =>
    console.log(`${name.padEnd(44)}${String(tests).padStart(6)}${String(seconds).padStart(9)}`);
  const testsOf = ({ passed, failures }: Result) => passed + failures.length;
  console.log("");
  row("group", "tests", "seconds");
  for (const result of results) row(result.group, testsOf(result), result.seconds.toFixed(1));
  row("all", sum(results.map(testsOf)), seconds.toFixed(1));
  const times = results.flatMap(({ times }) => times).sort((a, b) => b.seconds - a.seconds);
  console.log("\nthe slowest tests");
  for (const { name, seconds } of times.slice(0, 10)) {
    console.log(`${seconds.toFixed(1).padStart(7)}  ${name}`);
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

const paths = Deno.args.filter((arg) => arg !== "--all");
const wantsAll = paths.length < Deno.args.length;
const isShort = !wantsAll && paths.length === 0;
await installMissing(wantsAll || paths.includes(IMAGE));
const from = performance.now();
const results: Result[] = [];
const leaks: string[] = [];
{
  await using run = new TestRun();
  const chosen = paths.length > 0 ? [[{ name: paths.join(" "), paths, jobs: 1 }]] : steps(isShort);
  if (wantsAll) chosen.push([{ name: "image", paths: [IMAGE], jobs: 1 }]);
  for (const groups of chosen) {
    results.push(...await Promise.all(groups.map((group) => runGroup(group, run, isShort))));
  }
  leaks.push(...run.leaks());
}
printTimes(results, (performance.now() - from) / 1000);
const failures = results.flatMap(({ failures }) => failures);
if (leaks.length > 0) failures.push(`The tests have left on this machine:\n${leaks.join("\n")}`);
const skipped = results.flatMap(({ skipped }) => skipped);
const passed = sum(results.map(({ passed }) => passed));
for (const name of skipped) console.log(`\nSKIPPED: ${name}`);
// once more, where the end of a log is all one sees
for (const failure of failures) console.log(`\nFAILED: ${failure}`);
console.log(
  `\n${passed} passed, ${failures.length} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}`,
);
Deno.exit(failures.length === 0 && passed + skipped.length > 0 ? 0 : 1);
