import type { Plugin } from "esbuild";
import { dirname, join, resolve } from "./paths.ts";

interface Resolution {
  specifier: string;
  folder: string;
}

/**
 * Makes esbuild follow the import map of the project's deno.json. `npm:` targets are found in node_modules, since
 * esbuild does not read Deno's global cache.
 */
export async function importMapPlugin(root: string): Promise<Plugin> {
  const { imports, folder } = await readImportMap(root);
  return {
    name: "deno-import-map",
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, async ({ path, kind, importer, pluginData }) => {
        if (pluginData === "mapped" || importer.includes("/node_modules/")) return;
        const { specifier, folder: resolveDir } = mapSpecifier(path, imports, folder);
        return await build.resolve(specifier, { kind, importer, resolveDir, pluginData: "mapped" });
      });
    },
  };
}

async function readImportMap(root: string): Promise<{ imports: Record<string, string>; folder: string }> {
  for (let folder = root;; folder = dirname(folder)) {
    try {
      const { imports = {} } = JSON.parse(await Deno.readTextFile(join(folder, "deno.json")));
      return { imports, folder };
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      if (folder === dirname(folder)) throw new Error(`No deno.json in ${root} or above`, { cause: error });
    }
  }
}

function mapSpecifier(path: string, imports: Record<string, string>, folder: string): Resolution {
  const prefix = Object.keys(imports).filter((key) => key.endsWith("/") && path.startsWith(key))
    .sort((a, b) => b.length - a.length)[0];
  const target = imports[path] ?? (prefix ? imports[prefix] + path.slice(prefix.length) : path);
  const npm = /^npm:\/?(@[^/]+\/[^@/]+|[^@/]+)(?:@[^/]+)?(\/.*)?$/.exec(target);
  if (npm) return { specifier: npm[1] + (npm[2] ?? ""), folder };
  return { specifier: target.startsWith(".") ? resolve(folder, target) : target, folder };
}
