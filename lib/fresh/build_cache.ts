import type { Middleware, PageComponent, RouteHandler } from "./types.ts";
import { runtimeState } from "./shared.ts";

/** The exports of a file below routes/. */
export interface RouteModule {
  default?: PageComponent<unknown, unknown> | Middleware;
  handler?: RouteHandler;
}

export interface RouteFile {
  /** Relative to routes/, such as `api/streams/[id]/index.ts`. */
  path: string;
  module: RouteModule;
}

export interface IslandFile {
  name: string;
  module: Record<string, unknown>;
  /** The client bundle's path. */
  url: string;
  /** Every chunk the bundle imports statically, for modulepreload. */
  imports: string[];
}

export interface StaticFile {
  hash: string;
  type: string;
  size: number;
}

/** The content of `_fresh/snapshot.js`: everything the server needs to know about the build. */
export interface Snapshot {
  buildId: string;
  boot: { url: string; imports: string[] };
  /** The route files in matching order. */
  routes: RouteFile[];
  islands: IslandFile[];
  files: Record<string, StaticFile>;
}

export interface Island {
  name: string;
  exportName: string;
  file: IslandFile;
}

/** A snapshot prepared for serving. */
export interface BuildCache {
  snapshot: Snapshot;
  /** The route files without `_app`, `_middleware` and `_error`. */
  routes: RouteFile[];
  app: PageComponent<unknown, unknown>;
  middleware?: Middleware;
  errorPage?: PageComponent<unknown, unknown>;
  /** The files by their paths, with their content: the server's user may not reach the folder. */
  files: Map<string, StaticFile & { content: Uint8Array<ArrayBuffer> }>;
  islands: Map<unknown, Island>;
}

/** The key of an app's build: a symbol, so that the build is no part of the public API. */
export const BUILD = Symbol("build");

/**
 * Gives an app its build: called by the generated `_fresh/server.js` after main.ts was imported.
 *
 * @param staticDir the absolute path of `_fresh/static`
 */
export function installBuild(
  app: { [BUILD]: BuildCache | null },
  snapshot: Snapshot,
  staticDir: string,
): void {
  const special = (name: string) =>
    snapshot.routes.find(({ path }) => path.replace(/\.[jt]sx?$/, "") === name)?.module.default;
  const wrapper = special("_app");
  if (!wrapper) throw new Error("routes/_app.tsx is missing: it renders the document around every page");

  const islands = new Map<unknown, Island>();
  for (const file of snapshot.islands) {
    for (const [exportName, value] of Object.entries(file.module)) {
      if (typeof value !== "function") continue;
      const name = exportName === "default" ? file.name : `${file.name}.${exportName}`;
      islands.set(value, { name, exportName, file });
    }
  }
  runtimeState.buildId = snapshot.buildId;
  app[BUILD] = {
    snapshot,
    routes: snapshot.routes.filter(({ path }) => !path.startsWith("_")),
    app: wrapper as BuildCache["app"],
    middleware: special("_middleware") as Middleware | undefined,
    errorPage: special("_error") as BuildCache["errorPage"],
    files: new Map(
      Object.entries(snapshot.files).map(([path, file]) => {
        return [path, { ...file, content: Deno.readFileSync(`${staticDir}${path}`) }];
      }),
    ),
    islands,
  };
}
