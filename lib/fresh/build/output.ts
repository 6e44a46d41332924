import type { StaticFile } from "../build_cache.ts";
import type { ClientBundle } from "./client_bundle.ts";
import { basename, join, relative } from "./paths.ts";

interface Build {
  root: string;
  routes: string[];
  islands: string[];
  client: ClientBundle;
  files: Record<string, StaticFile>;
  buildId: string;
}

/** Writes the build's modules. They import by relative paths, so the project can move as a whole. */
export async function writeBuild(outDir: string, build: Build): Promise<void> {
  const specifier = (path: string) => JSON.stringify(relativeSpecifier(outDir, path));
  const buildCache = join(import.meta.dirname!, "../build_cache.ts");
  await Deno.writeTextFile(join(outDir, "snapshot.js"), snapshotModule(build, specifier));
  await Deno.writeTextFile(join(outDir, "pages.js"), pagesModule(build, specifier));
  await Deno.writeTextFile(
    join(outDir, "server.js"),
    `import { app } from ${specifier(join(build.root, "main.ts"))};
import { installBuild } from ${specifier(buildCache)};
import snapshot from "./snapshot.js";

installBuild(app, snapshot, import.meta.dirname + "/static");

export default { fetch: app.handler() };
`,
  );
}

/** Whether a route file renders: its module and all that it imports are loaded when a page is asked for. Pure. */
export function isPage(path: string): boolean {
  return /\.[jt]sx$|^_(?:app|error)\./.test(path) && !path.startsWith("_middleware.");
}

function snapshotModule(build: Build, specifier: (path: string) => string): string {
  const { root, routes, files, buildId } = build;
  const imports = routes.map((path, i) =>
    isPage(path) ? "" : `import * as route${i} from ${specifier(join(root, "routes", path))};\n`
  );
  const entries = routes.map((path, i) =>
    `    { path: ${JSON.stringify(path)}, module: ${isPage(path) ? null : `route${i}`} },`
  );
  return `${imports.join("")}
export default {
  buildId: ${JSON.stringify(buildId)},
  routes: [
${entries.join("\n")}
  ],
  pages: () => import("./pages.js"),
  files: ${JSON.stringify(files, null, 2).replaceAll("\n", "\n  ")},
};
`;
}

function pagesModule({ root, routes, islands, client }: Build, specifier: (path: string) => string): string {
  const pages = routes.filter(isPage);
  const imports = [
    ...pages.map((path, i) => `import * as page${i} from ${specifier(join(root, "routes", path))};`),
    ...islands.map((path, i) => `import * as island${i} from ${specifier(path)};`),
  ];
  const pageEntries = pages.map((path, i) => `    ${JSON.stringify(path)}: page${i},`);
  const islandEntries = islands.map((path, i) => {
    const fields = JSON.stringify({ name: basename(path).replace(/\.\w+$/, ""), ...client.islands[i] });
    return `    { ...${fields}, module: island${i} },`;
  });
  return `${imports.join("\n")}

export default {
  routes: {
${pageEntries.join("\n")}
  },
  islands: [
${islandEntries.join("\n")}
  ],
};
`;
}

function relativeSpecifier(from: string, path: string): string {
  const result = relative(from, path);
  return result.startsWith(".") ? result : `./${result}`;
}
