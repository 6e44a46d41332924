/**
 * All tests, or those below the given paths: `deno task test [tests/unit …]`. Closes with a line such as
 * `123 passed, 0 failed`.
 */
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

const paths = Deno.args.length > 0 ? Deno.args : ["tests/unit", "tests/integration", "tests/e2e"];
const report = await Deno.makeTempFile({ suffix: ".xml" });
const { code } = await new Deno.Command(Deno.execPath(), {
  args: ["test", "-A", `--junit-path=${report}`, ...paths],
  cwd: new URL("..", import.meta.url).pathname,
  stdin: "null",
}).spawn().status;

/** Sums an attribute of the report's suites. */
function sum(xml: string, attribute: string): number {
  const suites = xml.match(/<testsuite\s[^>]*>/g) ?? [];
  return suites.reduce(
    (total, suite) => total + Number(new RegExp(`\\b${attribute}="(\\d+)"`).exec(suite)?.[1] ?? 0),
    0,
  );
}

const xml = await Deno.readTextFile(report);
await Deno.remove(report);
const failed = sum(xml, "failures") + sum(xml, "errors");
const skipped = sum(xml, "disabled") + sum(xml, "skipped");
const passed = sum(xml, "tests") - failed - skipped;
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
Deno.exit(code === 0 && failed === 0 && passed > 0 ? 0 : 1);
