/**
 * All tests, or those below the given paths: `deno task test [tests/unit …]`. Closes with a line such as
 * `123 passed, 0 failed`.
 */
import { join } from "node:path";
import { errorText } from "../lib/system/log.ts";
import {
  installCommand,
  installPackages,
  missingPackages,
  SERVICE_PACKAGES,
} from "../lib/system/packages.ts";
import { TEST_PACKAGES } from "./test_packages.ts";

const missing = await missingPackages([...SERVICE_PACKAGES, ...TEST_PACKAGES]);
if (missing.length > 0) {
  console.log(`The tests use the real programs; missing: ${missing.join(" ")}`);
  if (Deno.uid() !== 0) {
    console.error(`Install them with:\n\n  ${installCommand(missing)}\n`);
    Deno.exit(1);
  }
  const stop = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) Deno.addSignalListener(name, () => stop.abort());
  await installPackages(missing, stop.signal).catch((error) => {
    console.error(errorText(error));
    Deno.exit(1);
  });
}

/** Tests that wait most of the time: they run beside those in browsers that play channels. */
const QUIET = [
  "ui/accessibility",
  "ui/backup",
  "ui/form",
  "ui/log",
  "ui/order",
  "ui/playlist",
  "ui/preferences",
  "pipeline/backup",
  "pipeline/logs",
  "pipeline/playlist",
  "pipeline/reorder",
  "pipeline/vnc_bridge",
  "pipeline/vnc_client",
].map((name) => `tests/${name}_test.ts`);
const root = new URL("..", import.meta.url).pathname;

interface Result {
  passed: number;
  failed: number;
  skipped: number;
  failures: string[];
}

/** Runs test files in a process of their own. @param isLate whether what they print comes at the end, in one piece. */
async function runTests(paths: string[], isLate = false): Promise<Result> {
  const report = await Deno.makeTempFile({ suffix: ".xml" });
  const child = new Deno.Command(Deno.execPath(), {
    args: ["test", "-A", `--junit-path=${report}`, ...paths],
    cwd: root,
    stdin: "null",
    stdout: isLate ? "piped" : "inherit",
    stderr: "inherit",
  }).spawn();
  const printed = isLate ? await new Response(child.stdout).blob() : new Blob();
  const { code } = await child.status;
  await printed.stream().pipeTo(Deno.stdout.writable, { preventClose: true });
  const xml = await Deno.readTextFile(report);
  await Deno.remove(report);
  const failed = sum(xml, "failures") + sum(xml, "errors");
  const skipped = sum(xml, "disabled") + sum(xml, "skipped");
  const passed = sum(xml, "tests") - failed - skipped;
  const hasCrashed = failed === 0 && (code !== 0 || passed === 0);
  const failures = hasCrashed
    ? [`${paths.join(" ")}: ended with ${code}, ${passed} passed`]
    : failuresOf(xml);
  return { passed, skipped, failed: hasCrashed ? 1 : failed, failures };
}

/** The failures of a report, each with its name and the beginning of what it says. */
function failuresOf(xml: string): string[] {
  const cases = xml.matchAll(/<testcase name="([^"]*)"[^>]*>\s*<(failure|error)[^>]*>([^]*?)<\/\2>/g);
  return Array.from(cases, ([, name, , said]) => `${name}\n${said.slice(0, 900)}`)
    .map((text) => text.replace(/&(gt|lt|quot|apos|amp);/g, (_, entity) => ENTITIES[entity]));
}
const ENTITIES: Record<string, string> = { gt: ">", lt: "<", quot: '"', apos: "'", amp: "&" };

/** Sums an attribute of the report's suites. */
function sum(xml: string, attribute: string): number {
  const suites = xml.match(/<testsuite\s[^>]*>/g) ?? [];
  return suites.reduce(
    (total, suite) => total + Number(new RegExp(`\\b${attribute}="(\\d+)"`).exec(suite)?.[1] ?? 0),
    0,
  );
}

/** The test files of a folder that are not QUIET. */
function busy(folder: string): string[] {
  return Array.from(Deno.readDirSync(join(root, folder)), ({ name }) => `${folder}/${name}`)
    .filter((path) => path.endsWith("_test.ts") && !QUIET.includes(path)).sort();
}

async function runAll(): Promise<Result[]> {
  // the pipeline's have limits in seconds: alone
  const alone = await runTests(busy("tests/pipeline"));
  const beside = [runTests(busy("tests/ui")), runTests([...QUIET, "tests/unit"], true)];
  return [alone, ...await Promise.all(beside)];
}

const results = Deno.args.length > 0 ? [await runTests(Deno.args)] : await runAll();
const total = (of: "passed" | "failed" | "skipped") => results.reduce((sum, result) => sum + result[of], 0);
const skipped = total("skipped");
// once more, where the end of a log is all one sees
for (const failure of results.flatMap(({ failures }) => failures)) console.log(`\nFAILED: ${failure}`);
console.log(
  `\n${total("passed")} passed, ${total("failed")} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`,
);
Deno.exit(total("failed") === 0 && total("passed") > 0 ? 0 : 1);
