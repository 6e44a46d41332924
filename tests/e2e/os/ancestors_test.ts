import assert from "node:assert/strict";
import { join } from "node:path";
import { ancestorsAlive } from "../../../lib/machine/os/ancestors.ts";
import { root, tempDir } from "../../support/fixture.ts";

Deno.test("while all that started us live, the answer is yes", () => {
  const areAlive = ancestorsAlive();
  assert.deepEqual([areAlive(), areAlive()], [true, true]);
});

/** Says "alive" at once, and what is so once its parent has gone. */
const WATCHER = `
import { ancestorsAlive } from "${join(root, "lib/machine/os/ancestors.ts")}";
const areAlive = ancestorsAlive();
const parent = Deno.ppid;
const say = (text) => Deno.stdout.writeSync(new TextEncoder().encode(text + "\\n"));
say(areAlive() ? "alive" : "gone");
while (Deno.ppid === parent) await new Promise((done) => setTimeout(done, 5));
say(areAlive() ? "alive" : "gone");
`;

/** Runs WATCHER below a shell that is called like a launcher, or not; kills the shell. */
async function whenParentDies(args: string[]): Promise<string[]> {
  await using dir = await tempDir();
  const [script, watcher] = [join(dir.path, "launch"), join(dir.path, "watcher.ts")];
  await Deno.writeTextFile(watcher, WATCHER);
  const deno = `${Deno.execPath()} run -A --quiet --no-lock --config ${join(root, "deno.json")}`;
  await Deno.writeTextFile(script, `${deno} ${watcher} &\nwait\n`);
  const asNode = ["-c", 'exec -a node /bin/bash "$@"', "_", script, ...args];
  const shell = new Deno.Command("/bin/bash", { args: asNode, stdin: "null", stdout: "piped" }).spawn();
  const lines: string[] = [];
  for await (const text of shell.stdout.pipeThrough(new TextDecoderStream())) {
    if (lines.length === 0) shell.kill("SIGKILL");
    lines.push(...text.trim().split("\n"));
  }
  await shell.status;
  return lines;
}

Deno.test("a launcher's end is noticed; any other parent's is not ours to judge", async () => {
  const [launched, plain] = await Promise.all([whenParentDies(["task", "start"]), whenParentDies([])]);
  assert.deepEqual(launched, ["alive", "gone"]);
  assert.deepEqual(plain, ["alive", "alive"]);
});
