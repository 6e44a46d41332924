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

/** Files that render: their modules and all that these import are loaded when a page is asked for. */
const PAGE = /\.[jt]sx$/;

function snapshotModule(build: Build, specifier: (path: string) => string): string {
  const { root, routes, client, files, buildId } = build;
  const imports = routes.map((path, i) =>
    PAGE.test(path) ? "" : `import * as route${i} from ${specifier(join(root, "routes", path))};\n`
  );
  const entries = routes.map((path, i) =>
    `    { path: ${JSON.stringify(path)}, module: ${PAGE.test(path) ? null : `route${i}`} },`
  );
  return `${imports.join("")}
export default {
  buildId: ${JSON.stringify(buildId)},
  boot: ${JSON.stringify(client.boot)},
  routes: [
${entries.join("\n")}
  ],
  pages: () => import("./pages.js"),
  files: ${JSON.stringify(files, null, 2).replaceAll("\n", "\n  ")},
};
`;
}

function pagesModule({ root, routes, islands, client }: Build, specifier: (path: string) => string): string {
  const pages = routes.filter((path) => PAGE.test(path));
  const imports = [
    ...pages.map((path, i) => `import * as page${i} from ${specifier(join(root, "routes", path))};`),
    ...islands.map((path, i) => `import * as island${i} from ${specifier(path)};`),
  ];
  const pageEntries = pages.map((path, i) => `    ${JSON.stringify(path)}: page${i},`);
  const islandEntries = islands.map((path, i) => {
    const { url, imports } = client.islands[i];
    const fields = JSON.stringify({ name: basename(path).replace(/\.\w+$/, ""), url, imports });
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
