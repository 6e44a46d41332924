import { strict as assert } from "node:assert";
import { join } from "node:path";
import { run } from "../../lib/machine/os/process.ts";
import { checkChannel } from "../support/channel_checks.ts";
import { compileService } from "../support/denort.ts";
import { makeDataDir } from "../support/service.ts";

const root = new URL("../..", import.meta.url).pathname;

Deno.test("the compiled executable does the same, far from the checkout", async () => {
  const folder = await Deno.makeTempDir({ prefix: "browser-stream-compiled-" });
  const dataDir = await makeDataDir();
  try {
    // compiled from a copy of the checkout, which is gone when the executable runs
    const checkout = join(folder, "checkout");
    await Deno.mkdir(checkout);
    for (const part of ["_fresh", "scripts", "lib", "deno.json"]) {
      assert.equal((await run(["cp", "-r", join(root, part), checkout], { timeoutMs: 20_000 })).code, 0);
    }
    const executable = join(folder, "browser-stream");
    await compileService(checkout, executable);
    await Deno.remove(checkout, { recursive: true });
    const built = join(root, "_fresh");
    const files = Array.from(Deno.readDirSync(built), ({ name }) => name);
    for (const file of files.filter((name) => name === "browser-stream.js" || name.startsWith("chunk-"))) {
      const text = await Deno.readTextFile(join(built, file));
      assert.ok(!text.includes(root), `${file}: a path of the build`);
    }

    // what only a node of a cluster loads is in it
    const secret = join(folder, "secret");
    await Deno.writeTextFile(secret, crypto.randomUUID() + crypto.randomUUID(), { mode: 0o600 });
    const env = {
      CLUSTER: "nats://127.0.0.1:9",
      CLUSTER_SECRET_FILE: secret,
      DATA_DIR: join(dataDir, "none"),
    };
    const asked = await run([executable, "cluster", "status"], { timeoutMs: 120_000, env });
    assert.match(asked.stderr, /^The cluster's servers cannot be used: no server of the cluster answers/);

    const empty = join(folder, "empty");
    await Deno.mkdir(empty);
    // a data directory that is not there yet, as of a first start
    await checkChannel({ program: [executable], cwd: empty, dataDir: join(dataDir, "new") });
    assert.deepEqual([...Deno.readDirSync(empty)], [], "it wrote into the folder it was started from");
  } finally {
    for (const path of [folder, dataDir]) await Deno.remove(path, { recursive: true });
  }
});
