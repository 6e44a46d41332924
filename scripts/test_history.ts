/**
 * The runs of the tests that are kept: a folder each, with JUnit's file and the output of each process. Git ignores them. A
 * file that was red and green at once again has a second report, which ends in ".again.xml".
 */
import { join } from "node:path";
import { readReport } from "./test_report.ts";
import { ROOT } from "./test_plan.ts";

const FOLDER = join(ROOT, ".test-history");
const KEPT = 50;
/** The number of runs that are searched for a name that is red again and again. */
const WINDOW = 20;

/** More flaky tests in a run, or the same test more often in the last runs, are red. */
const MOST_FLAKY = 2;

export const AGAIN = ".again";

/** Makes the folder of a new run, and removes the oldest. */
export async function newRun(at: Date): Promise<string> {
  const folder = join(FOLDER, at.toISOString().replace(/[:.]/g, "-"));
  await Deno.mkdir(folder, { recursive: true });
  for (const old of runs().slice(0, -KEPT)) await Deno.remove(join(FOLDER, old), { recursive: true });
  return folder;
}

/** The names of the kept runs, the oldest first. */
function runs(): string[] {
  try {
    return Array.from(Deno.readDirSync(FOLDER), ({ name }) => name).sort();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** The red tests of a run; flaky tests were green when their file ran once more. */
function redOf(run: string): { name: string; isFlaky: boolean }[] {
  const folder = join(FOLDER, run);
  const reports = Array.from(Deno.readDirSync(folder), ({ name }) => name).filter((name) =>
    name.endsWith(".xml")
  );
  const failures = (file: string) => readReport(Deno.readTextFileSync(join(folder, file))).failures;
  return reports.filter((file) => !file.includes(AGAIN)).flatMap((file) => {
    const second = file.replace(/\.xml$/, `${AGAIN}.xml`);
    const still = reports.includes(second) ? failures(second).map(({ name }) => name) : null;
    return failures(file).map(({ name }) => ({ name, isFlaky: still !== null && !still.includes(name) }));
  });
}

/** The number of last runs, with the present run, in which each of these tests was flaky. */
export function flakyCounts(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name, isFlaky } of runs().slice(-WINDOW).flatMap(redOf)) {
    if (isFlaky) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** The problems of these flaky tests of a run. @param counts of the last runs. */
export function flakyProblems(flaky: readonly string[], counts: ReadonlyMap<string, number>): string[] {
  const again = flaky.filter((name) => (counts.get(name) ?? 0) > MOST_FLAKY);
  return [
    ...(flaky.length > MOST_FLAKY
      ? [`${flaky.length} tests were flaky in this run, ${MOST_FLAKY} may be`]
      : []),
    ...again.map((name) =>
      `flaky ${counts.get(name)} times in the last ${WINDOW} runs, ${MOST_FLAKY} may be: ${name}`
    ),
  ];
}

/** Lines for people: which tests were red in the kept runs, how often, and when last. */
export function historyLines(): string[] {
  const seen = new Map<string, { red: number; flaky: number; last: string }>();
  const all = runs();
  for (const run of all) {
    for (const { name, isFlaky } of redOf(run)) {
      const before = seen.get(name) ?? { red: 0, flaky: 0, last: "" };
      seen.set(name, {
        red: before.red + 1,
        flaky: before.flaky + (isFlaky ? 1 : 0),
        last: run.slice(0, 16),
      });
    }
  }
  const rows = [...seen].sort(([, one], [, other]) => other.red - one.red);
  return [
    `${all.length} runs are kept in .test-history; ${rows.length} tests were red in them.`,
    ...rows.map(([name, { red, flaky, last }]) =>
      `${String(red).padStart(4)} red, ${flaky} of them green once more, last ${last}  ${name}`
    ),
  ];
}
