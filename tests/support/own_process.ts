/** Code in a process of its own: what changes the user changes it for all tests that run beside it. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { run } from "../../lib/machine/os/process.ts";
import { root, tempDir } from "./fixture.ts";

/**
 * Runs a program that has the exports of a module of lib/ as `m`; gives what it prints.
 * @param typed its standard input. @param by the command line that runs it.
 */
export async function inOwnProcess(
  module: string,
  code: string,
  typed = "",
  by: readonly string[] = [],
): Promise<string> {
  await using dir = await tempDir();
  const file = join(dir.path, "program.ts");
  await Deno.writeTextFile(file, `import * as m from "${join(root, module)}";\n${code}`);
  const config = join(root, "deno.json"); // for the import map
  const input = new Blob([typed]).stream();
  const flags = ["-A", "--no-lock", "--no-check", "--quiet", "--config", config];
  const argv = [...by, Deno.execPath(), "run", ...flags, file];
  const { stdout, stderr, code: exit } = await run(argv, { timeoutMs: 30_000, cwd: "/", input });
  assert.equal(exit, 0, stderr);
  return stdout;
}
