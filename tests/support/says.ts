/** Programs that are to succeed. */
import { strict as assert } from "node:assert";
import { run } from "../../lib/machine/os/process.ts";
import { root } from "./fixture.ts";

const LIMIT_MS = 60_000;

/** What a program prints, in the repository's folder. @throws {AssertionError} when it fails. */
export async function says(
  argv: string[],
  env: Record<string, string> = {},
  timeoutMs = LIMIT_MS,
): Promise<string> {
  const { code, stdout, stderr } = await run(argv, { timeoutMs, env, cwd: root });
  assert.equal(code, 0, `${argv.join(" ")}: ${stdout.slice(-2000)}${stderr.slice(-2000)}`);
  return stdout.trim();
}
