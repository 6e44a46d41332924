/**
 * Bundles the built app and the subcommands into _fresh/browser-stream.js and chunks beside it: `deno task start` runs
 * the bundle, and `deno task compile` puts it into the executable. Few files start sooner than many, and a subcommand
 * reads only its own (docs/performance.md).
 */
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { run } from "../lib/machine/os/process.ts";
import { withLateCluster } from "./cluster_chunks.ts";
import { aliases } from "./import_map.ts";

const root = join(import.meta.dirname!, "..");
const out = join(root, "_fresh");
const CHUNK = /^chunk-.*\.js$/;

const { imports } = JSON.parse(await Deno.readTextFile(join(root, "deno.json")));
const alias = aliases(imports);

/** The commit of the checkout; without git, as in an image's build, REVISION names it. Null: the commit is unknown. */
async function commit(): Promise<string | null> {
  const given = Deno.env.get("REVISION");
  if (given) return given;
  const argv = ["git", "describe", "--always", "--exclude=*", "--abbrev=12", "--dirty=+changes"];
  const asked = await run(argv, { timeoutMs: 10_000, cwd: root }).catch(() => null);
  return asked?.code === 0 ? asked.stdout.trim() : null;
}

/** Modules of Node that CommonJS packages require (NATS' client): a bundle of ES modules has to import them. */
const requiredBuiltins: Plugin = {
  name: "required-builtins",
  setup(build) {
    build.onResolve(
      { filter: /^(node:\w+|crypto)$/ },
      ({ path, kind }) =>
        kind === "require-call" ? { path: path.replace(/^(?!node:)/, "node:"), namespace: "required" } : null,
    );
    build.onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `export * from "${path}";\nexport { default } from "${path}";\n`,
    }));
  },
};

/** What a page loads on demand its browser loads, from a bundle of its own; the server never does. */
const forBrowsers: Plugin = {
  name: "for-browsers",
  setup(build) {
    build.onResolve(
      { filter: /./ },
      ({ kind, importer, path }) =>
        kind === "dynamic-import" && /\/(components|islands)\//.test(importer)
          ? { path, namespace: "for-browsers" }
          : null,
    );
    build.onLoad({ filter: /./, namespace: "for-browsers" }, () => ({ contents: "export {};" }));
  },
};

await Deno.writeTextFile(
  join(out, "program.js"),
  `import { main } from "../lib/run/main.ts";\n\nawait main(Deno.args, import.meta, () => import("./server.js"));\n`,
);
for (const { name } of [...Deno.readDirSync(out)].filter(({ name }) => CHUNK.test(name))) {
  await Deno.remove(join(out, name));
}
await build({
  entryPoints: [join(out, "program.js")],
  outdir: out,
  entryNames: "browser-stream",
  chunkNames: "chunk-[name]-[hash]", // here, since the built code looks for its files beside itself
  splitting: true,
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  platform: "neutral",
  target: "esnext",
  mainFields: ["module", "main"],
  conditions: ["import", "module", "default"],
  external: ["node:*"],
  plugins: [requiredBuiltins, forBrowsers],
  jsx: "automatic",
  jsxImportSource: "preact",
  define: {
    // main.ts is no entry in the bundle
    "import.meta.main": "false",
    "globalThis.BROWSER_STREAM_COMMIT": JSON.stringify(await commit()),
  },
  minifySyntax: true,
  // names stay, and lines short, for the places in stack traces
  minifyWhitespace: true,
  lineLimit: 110,
  legalComments: "none",
  logLevel: "warning",
  alias,
});
for (const { name } of [...Deno.readDirSync(out)].filter(({ name }) => name.endsWith(".js"))) {
  const text = await Deno.readTextFile(join(out, name));
  const late = withLateCluster(text);
  if (late !== text) await Deno.writeTextFile(join(out, name), late);
}
await Deno.mkdir(join(out, "templates"), { recursive: true });
for await (const { name } of Deno.readDir(join(root, "templates"))) {
  await Deno.copyFile(join(root, "templates", name), join(out, "templates", name));
}
Deno.exit(0); // esbuild's service would keep us alive
