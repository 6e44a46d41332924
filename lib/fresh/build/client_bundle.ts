import { build, type Metafile } from "esbuild";
import { CLIENT_PATH } from "../shared.ts";
import { basename, join } from "./paths.ts";
import { togetherOnPages } from "./together.ts";

/** The URL paths of a bundle and of the chunks that it imports. */
export interface ClientEntry {
  url: string;
  imports: string[];
}

export interface ClientIsland extends ClientEntry {
  /** The code that starts it, and all others that may be on a page with it. */
  boot: ClientEntry;
}

export interface ClientBundle {
  files: Map<string, Uint8Array>;
  /** The islands' bundles, in the order of the given islands. */
  islands: ClientIsland[];
}

const BOOT = "fresh-boot";
const FRESH = join(import.meta.dirname!, "..");

/**
 * Bundles the islands and the code that starts them: in one esbuild run with splitting those that may be on one page, because
 * two copies of Preact or of signals on a page break hooks and shared signals. All in one run would be split into a chunk for
 * each set of islands that share something: on a page with a single island that was 27 files, and a tenth more bytes.
 */
export async function bundleClient(
  root: string,
  routes: readonly string[],
  islands: string[],
  target: string | string[],
): Promise<ClientBundle> {
  const groups = await togetherOnPages(root, routes, islands);
  const bundles = await Promise.all(groups.map((group) => bundleGroup(root, group, target)));
  const made = new Map(groups.flatMap((group, i) => group.map((path, at) => [path, bundles[i].islands[at]])));
  return {
    files: new Map(bundles.flatMap(({ files }) => [...files])),
    islands: islands.map((path) => made.get(path)!),
  };
}

async function bundleGroup(
  root: string,
  islands: string[],
  target: string | string[],
): Promise<ClientBundle> {
  const names = islands.map((path, i) => `${basename(path).replace(/\W+\w+$/, "")}-${i}`);
  const outdir = join(root, CLIENT_PATH);
  const { metafile, outputFiles } = await build({
    entryPoints: {
      [BOOT]: join(FRESH, "client/boot.ts"),
      ...Object.fromEntries(names.map((name, i) => [name, islands[i]])),
    },
    absWorkingDir: root,
    outdir,
    entryNames: "[name]-[hash]",
    chunkNames: "chunk-[hash]",
    // esbuild does not know the import map; it finds the npm packages in node_modules.
    alias: { "fresh/runtime": join(FRESH, "runtime.ts") },
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target,
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "process.env.NODE_ENV": '"production"' },
    tsconfigRaw: {},
    write: false,
    metafile: true,
    logLevel: "warning",
  });
  const entry = (name: string) => entryOf(metafile, name);
  const boot = entry(BOOT);
  return {
    files: new Map(outputFiles.map(({ path, contents }) => [`${CLIENT_PATH}/${basename(path)}`, contents])),
    islands: names.map((name) => ({ ...entry(name), boot })),
  };
}

function entryOf({ outputs }: Metafile, name: string): ClientEntry {
  const file = Object.keys(outputs).find((path) => {
    return outputs[path].entryPoint && basename(path).replace(/-[A-Z0-9]+\.js$/, "") === name;
  });
  if (!file) throw new Error(`esbuild wrote no bundle for ${name}`);
  const reached = new Set([file]);
  for (const path of reached) {
    outputs[path].imports.filter(({ kind }) => kind === "import-statement").forEach(({ path }) =>
      reached.add(path)
    );
  }
  reached.delete(file);
  const url = (path: string) => `${CLIENT_PATH}/${basename(path)}`;
  // the largest chunks first: while they fill a slow line, the waits for small chunks cost nothing
  const imports = [...reached].sort((one, other) => outputs[other].bytes - outputs[one].bytes);
  return { url: url(file), imports: imports.map(url) };
}
