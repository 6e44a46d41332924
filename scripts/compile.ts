/**
 * Makes the one executable from _fresh/: `deno run -A scripts/compile.ts [OUT]`, default dist/browser-stream.
 * DENORT_BIN names the runtime to put under it where Deno cannot download its own.
 */
import { dirname, join, resolve } from "node:path";
import { run } from "../lib/system/process.ts";

const root = join(import.meta.dirname!, "..");
const out = resolve(Deno.args[0] ?? join(root, "dist/browser-stream"));

// a folder without node_modules: `deno compile` would embed it, esbuild and all
const clean = await Deno.makeTempDir({ prefix: "browser-stream-compile-" });
try {
  await Deno.copyFile(join(root, "_fresh/browser-stream.js"), join(clean, "browser-stream.js"));
  for (const folder of ["static", "templates"]) {
    const { code, stderr } = await run(["cp", "-r", join(root, "_fresh", folder), clean], {
      timeout: 10_000,
    });
    if (code !== 0) throw new Error(stderr);
  }
  await Deno.mkdir(dirname(out), { recursive: true });
  const flags = ["-A", "--no-config", "--no-lock", "--no-check", "--quiet"];
  const argv = ["compile", ...flags, "--include", "static", "--include", "templates", "--output", out];
  const result = await run([Deno.execPath(), ...argv, "browser-stream.js"], { timeout: 120_000, cwd: clean });
  if (result.code !== 0) {
    console.error(result.stderr);
    console.error(
      "deno compile failed. If it could not download denort, set DENORT_BIN to a denort of this very Deno version.",
    );
    Deno.exit(1);
  }
  const { size } = await Deno.stat(out);
  console.log(`${out} (${(size / 1024 / 1024).toFixed(1)} MiB)`);
} finally {
  await Deno.remove(clean, { recursive: true });
}
