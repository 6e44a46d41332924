/**
 * Makes the one executable from _fresh/: `deno run -A scripts/compile.ts [OUT]`, default dist/browser-stream.
 * DENORT_BIN names the runtime to put under it where Deno cannot download its own.
 */
import { dirname, join, resolve } from "node:path";
import { run } from "../lib/machine/os/process.ts";
import { isClusterChunk } from "./cluster_chunks.ts";
import { isOwnFresh } from "./import_map.ts";

const root = join(import.meta.dirname!, "..");
const out = resolve(Deno.args[0] ?? join(root, "dist/browser-stream"));

const { imports } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
/** Upstream's Fresh reads static/ beside _fresh/. */
const beside = isOwnFresh(imports) ? [] : ["static"];

const FILE_TIME = "2000-01-01T00:00:00Z";

// a folder without node_modules: `deno compile` would embed it, esbuild and all
const clean = await Deno.makeTempDir({ prefix: "browser-stream-compile-" });
try {
  // in a _fresh/ again: the built code looks for its files in such a folder
  await Deno.mkdir(join(clean, "_fresh"));
  const chunks = [...Deno.readDirSync(join(root, "_fresh"))]
    .map(({ name }) => name).filter((name) => name.startsWith("chunk-"));
  const parts = ["browser-stream.js", ...chunks, "static", "templates", "wasm"].map((name) =>
    join(root, "_fresh", name)
  );
  const copied = await run(["cp", "-r", ...parts, join(clean, "_fresh")], { timeoutMs: 10_000 });
  if (copied.code !== 0) throw new Error(`${copied.stderr}Run "deno task build" first.`);
  for (const name of beside) {
    const more = await run(["cp", "-r", join(root, name), clean], { timeoutMs: 10_000 });
    if (more.code !== 0) throw new Error(more.stderr);
  }
  // the files' times go into the executable: two builds of one commit are the same bytes
  const timed = await run(["find", clean, "-exec", "touch", `--date=${FILE_TIME}`, "{}", "+"], {
    timeoutMs: 10_000,
  });
  if (timed.code !== 0) throw new Error(timed.stderr);
  await Deno.mkdir(dirname(out), { recursive: true });
  // a code cache would be at a name in /tmp that every user can guess and take, and root would run its content
  const flags = ["-A", "--no-config", "--no-lock", "--no-check", "--quiet", "--no-code-cache"];
  const inFresh = ["static", "templates", "wasm", ...chunks.filter(isClusterChunk)];
  const data = [...inFresh.map((name) => `_fresh/${name}`), ...beside];
  const included = data.flatMap((name) => ["--include", name]);
  const argv = ["compile", ...flags, ...included, "--output", out, "_fresh/browser-stream.js"];
  const result = await run([Deno.execPath(), ...argv], { timeoutMs: 120_000, cwd: clean });
  // a runtime of another version takes the program without a word, and cannot read it
  const tried = result.code === 0 ? await run([out, "--version"], { timeoutMs: 30_000 }) : null;
  if (tried?.code === 0) {
    const { size } = await Deno.stat(out);
    console.log(`${out} (${(size / 1024 / 1024).toFixed(1)} MiB)`);
  } else {
    console.error(tried ? `What was compiled does not run: ${tried.stderr}` : result.stderr);
    console.error(
      "If deno compile could not download denort, set DENORT_BIN to a denort of this very Deno version, " +
        `${Deno.version.deno}.`,
    );
    await Deno.remove(out).catch(() => {});
    Deno.exitCode = 1; // an exit from here would leave the folder
  }
} finally {
  await Deno.remove(clean, { recursive: true });
}
