/** Two builds of one checkout are the same bytes, whatever the folder is called. */
import { strict as assert } from "node:assert";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { run, type RunResult } from "../../lib/machine/os/process.ts";
import { compileService } from "../support/denort.ts";
import { root, tempDir } from "../support/fixture.ts";

const LIMIT_MS = 5 * 60_000;

/** @throws {AssertionError} when it fails. */
async function must(
  argv: string[],
  options: { cwd: string },
): Promise<RunResult> {
  const result = await run(argv, { timeoutMs: LIMIT_MS, ...options });
  assert.equal(result.code, 0, `${argv.join(" ")}: ${result.stdout}${result.stderr}`);
  return result;
}

/** Copies the sources, builds and compiles them there. @returns the executable's SHA-256. */
async function digestOfBuild(folder: string): Promise<string> {
  await Deno.mkdir(folder, { recursive: true });
  const copy = 'tar -C "$0" --exclude=./.git --exclude=./_fresh --exclude=./dist -c . | tar -x';
  await must(["/bin/sh", "-c", copy, root], { cwd: folder });
  await must([Deno.execPath(), "task", "build"], { cwd: folder });
  const executable = join(folder, "dist/browser-stream");
  await compileService(folder, executable);
  return createHash("sha256").update(await Deno.readFile(executable)).digest("hex");
}

Deno.test("two builds of one checkout are the same bytes", async () => {
  await using dir = await tempDir();
  const first = await digestOfBuild(join(dir.path, "one"));
  assert.equal(await digestOfBuild(join(dir.path, "another/place")), first);
});
