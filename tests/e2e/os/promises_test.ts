/** Programs of a stream that find less than the start has promised. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { parseConfig } from "../../../lib/config.ts";
import { streamId } from "../../../lib/model/id.ts";
import { storedStream, type Stream } from "../../../lib/model/schema.ts";
import { pathsOf } from "../../../lib/paths.ts";
import { writeSpec } from "../../../lib/live/programs/commands/spec.ts";
import { digestOf, type Promises, writePromises } from "../../../lib/machine/os/promises.ts";
import { tempDir } from "../../support/fixture.ts";
import { needsRoot } from "../../support/needs_root.ts";
import { inOwnProcess } from "../../support/own_process.ts";

const OWNER = 60_600;
const NONE: Promises = { packetFilter: false, memoryLimits: false, ownSharedMemory: false, policies: null };

interface Row {
  promises: Partial<Promises> | null;
  says: RegExp;
  by?: readonly string[];
}

const ROWS: Record<string, Row> = {
  "nothing says what was promised": { promises: null, says: /promises\.json is missing/ },
  "the kernel's rules": { promises: { packetFilter: true }, says: /kernel's rules .* cannot be set/ },
  "the limit of memory": { promises: { memoryLimits: true }, says: /memory limit does not hold/ },
  "Chromium's policies": {
    promises: { policies: { files: ["/nonexistent/policies.json"], digest: digestOf("{}") } },
    says: /policies are not in \/nonexistent/,
  },
  "shared memory of its own": {
    promises: { ownSharedMemory: true },
    says: /no shared memory of its own/,
    // a kernel that gives none
    by: [
      ...["/usr/bin/unshare", "--user", "--map-root-user", "--", "/bin/sh", "-c"],
      ...['echo 0 > /proc/sys/user/max_ipc_namespaces && exec "$@"', "sh"],
    ],
  },
};

needsRoot("a browser does not start where less is there than the start has promised", async () => {
  const wrong: string[] = [];
  for (const [name, { promises, says, by }] of Object.entries(ROWS)) {
    await using dir = await tempDir("/dev/shm");
    await Deno.chmod(dir.path, 0o755);
    const config = parseConfig({
      DATA_DIR: join(dir.path, "data"),
      PIPELINE_DIR: dir.path,
      RUN_DIR: join(dir.path, "run"),
    });
    const paths = pathsOf(config);
    const id = streamId("clock");
    for (const folder of [paths.webDir, paths.specsDir, join(paths.profilesDir, id)]) {
      await Deno.mkdir(folder, { recursive: true });
    }
    await Deno.mkdir(join(paths.pipesDir, id), { recursive: true });
    const stream = storedStream.parse({ id, name: "Clock", url: "https://example.org/", order: 0 }) as Stream;
    await writeSpec(paths.specsDir, { stream, display: 101, startedAt: 0 });
    for (const path of [paths.webDir, paths.specsDir, join(paths.specsDir, `${id}.json`)]) {
      await Deno.chown(path, OWNER, OWNER);
    }
    await Deno.chown(join(paths.profilesDir, id), OWNER, OWNER);
    if (promises) await writePromises(paths.promisesFile, { ...NONE, ...promises });
    const said = await inOwnProcess(
      "lib/run/programs/context.ts",
      by
        ? `await m.streamContext(${
          JSON.stringify(config)
        }, "clock").catch((error) => console.log(error.message))`
        : `const { browser } = await import("${new URL(
          "../../../lib/run/programs/browser.ts",
          import.meta.url,
        )}");
           await browser(${JSON.stringify(config)}, "clock").catch((error) => console.log(error.message));
           Deno.exit(0);`,
      "",
      by,
    );
    if (!says.test(said)) wrong.push(`${name}: ${said}`);
  }
  assert.deepEqual(wrong, []);
});
