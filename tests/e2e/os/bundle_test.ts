/** The bundle that `deno task build` leaves in _fresh/. */
import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { run } from "../../../lib/machine/os/process.ts";
import { isClusterChunk } from "../../../scripts/cluster_chunks.ts";
import { root } from "../../support/fixture.ts";

const FRESH = join(root, "_fresh");

Deno.test("deno reads nothing of a cluster's before a program runs, and what the program then names is there", async () => {
  const entry = join(FRESH, "browser-stream.js");
  const argv = [Deno.execPath(), "info", "--json", "--no-config", "--no-lock", entry];
  const { code, stdout } = await run(argv, { timeoutMs: 60_000 });
  assert.equal(code, 0);
  const { modules } = JSON.parse(stdout) as { modules: { specifier: string }[] };
  const read = modules.map(({ specifier }) => basename(specifier));
  assert.ok(read.some((name) => name.startsWith("chunk-serve-")), "what is loaded later is read, too");
  const texts = new Map(
    await Promise.all(
      Array.from(Deno.readDirSync(FRESH)).filter(({ name }) => name.endsWith(".js"))
        .map(async ({ name }) => [name, await Deno.readTextFile(join(FRESH, name))] as const),
    ),
  );
  const ofNats = [...texts].filter(([, text]) => text.includes("NATS/1.0")).map(([name]) => name);
  assert.ok(ofNats.length > 0);
  assert.deepEqual(ofNats.filter((name) => read.includes(name)), []);
  const late = [...texts.values()].flatMap((text) =>
    [...text.matchAll(/import\(String\("\.\/([^"]+)"\)\)/g)].map(([, name]) => name)
  );
  assert.deepEqual([...new Set(late)].map((name) => name.split("-")[1]).sort(), [
    "cluster",
    "membership",
    "node",
  ]);
  assert.deepEqual(late.filter((name) => !texts.has(name) || !isClusterChunk(name)), []);
});
