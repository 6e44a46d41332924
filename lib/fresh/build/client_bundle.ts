import { build, type Metafile } from "esbuild";
import { CLIENT_PATH } from "../shared.ts";
import { basename, join } from "./paths.ts";

/** The URL paths of a bundle and of the chunks that it imports. */
export interface ClientEntry {
  url: string;
  imports: string[];
}

export interface ClientBundle {
  files: Map<string, Uint8Array>;
  boot: ClientEntry;
  /** The islands' bundles, in the order of the given islands. */
  islands: ClientEntry[];
}

const BOOT = "fresh-boot";
const FRESH = join(import.meta.dirname!, "..");

/**
 * Bundles the islands and the code that starts them. One esbuild run with splitting, because two copies of Preact or of
 * signals on a page break hooks and shared signals.
 */
export async function bundleClient(
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
  return {
    files: new Map(outputFiles.map(({ path, contents }) => [`${CLIENT_PATH}/${basename(path)}`, contents])),
    boot: entry(BOOT),
    islands: names.map(entry),
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
