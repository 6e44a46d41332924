import assert from "node:assert/strict";
import { join } from "node:path";
import { killOrphans, processesOfRun, RUN_MARKER } from "../../../lib/machine/os/orphans.ts";
import { tempDir } from "../../support/fixture.ts";
import { same } from "../../support/same.ts";

/** A process that would live on; the test's end ends it. */
function sleeper(options: Deno.CommandOptions, program = "/bin/sleep") {
  const child = new Deno.Command(program, { args: ["20"], ...options }).spawn();
  return {
    child,
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch {
        // it has ended
      }
      await child.status;
    },
  };
}

const marked = (dir: string) => ({ env: { [RUN_MARKER]: dir } });

Deno.test("processes are found by their mark, nginx by its folder too, never by a prefix of it", async () => {
  await using dir = await tempDir();
  await Deno.mkdir(join(dir.path, "run/inner"), { recursive: true });
  await Deno.mkdir(join(dir.path, "run2"));
  const run = join(dir.path, "run");
  await using byMark = sleeper(marked(run));
  const nginx = join(dir.path, "nginx");
  await Deno.copyFile("/bin/sleep", nginx);
  await using byFolder = sleeper({ cwd: run }, nginx);
  await using below = sleeper({ cwd: join(run, "inner") }, nginx);
  await using _visitor = sleeper({ cwd: run });
  await using _others = sleeper(marked(`${run}2`));
  await using _inOther = sleeper({ cwd: `${run}2` }, nginx);
  await using _byPart = sleeper({ env: { [`NOT_${RUN_MARKER}`]: run, OTHER: `${RUN_MARKER}=${run}` } });
  const found = () => processesOfRun(run).sort();
  const expected = [byMark, byFolder, below].map(({ child }) => child.pid).sort();
  // one that has just begun may not be what it was begun as
  await same(found, expected);
});

Deno.test("all of them end, a stopped one too; others live on", async () => {
  await using dir = await tempDir();
  await using one = sleeper(marked(dir.path));
  await using stopped = sleeper(marked(dir.path));
  await using other = sleeper(marked(`${dir.path}x`));
  stopped.child.kill("SIGSTOP");
  assert.equal(await killOrphans(dir.path, 2000), 2);
  assert.equal((await one.child.status).signal, "SIGTERM");
  assert.equal((await stopped.child.status).signal, "SIGTERM");
  assert.deepEqual(processesOfRun(dir.path), []);
  other.child.kill("SIGCONT"); // throws if it is gone
});

Deno.test("what ignores SIGTERM is killed after the grace", async () => {
  await using dir = await tempDir();
  const script = "trap '' TERM; echo ready; exec sleep 20";
  const child = new Deno.Command("/bin/sh", { args: ["-c", script], ...marked(dir.path), stdout: "piped" })
    .spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  assert.equal(await killOrphans(dir.path, 20), 1);
  assert.equal((await child.status).signal, "SIGKILL");
  await reader.cancel();
});

Deno.test("nothing to end", async () => {
  assert.equal(await killOrphans("/nowhere/at/all", 1000), 0);
});
