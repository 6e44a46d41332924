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
  /** Null: the file is in the module of the pages. */
  module: RouteModule | null;
}

/** The content of `_fresh/pages.js`: the files that render, which are loaded with the first page that is asked for. */
export interface PagesModule {
  /** The route files that render, by their paths. */
  routes: Record<string, RouteModule>;
  islands: IslandFile[];
}

export interface IslandFile {
  name: string;
  module: Record<string, unknown>;
  /** The client bundle's path. */
  url: string;
  /** Every chunk the bundle imports statically, for modulepreload. */
  imports: string[];
  /** The bundle that starts it, and all other islands of its page. */
  boot: { url: string; imports: string[] };
}

export interface StaticFile {
  hash: string;
  type: string;
  size: number;
}

/** The content of `_fresh/snapshot.js`: everything the server needs to know about the build. */
export interface Snapshot {
  buildId: string;
  /** The route files in matching order. */
  routes: RouteFile[];
  pages: () => Promise<{ default: PagesModule }>;
  files: Record<string, StaticFile>;
}

export interface Island {
  name: string;
  exportName: string;
  file: IslandFile;
}

/** What a page is rendered with. */
export interface Pages {
  app: PageComponent<unknown, unknown>;
  errorPage?: PageComponent<unknown, unknown>;
  /** The module of a route file that renders. */
  module(path: string): RouteModule;
  islands: Map<unknown, Island>;
}

/** A snapshot prepared for serving. */
export interface BuildCache {
  snapshot: Snapshot;
  /** The route files without `_app`, `_middleware` and `_error`. */
  routes: RouteFile[];
  middleware?: Middleware;
  hasErrorPage: boolean;
  /** The pages, which the first call loads. */
  pages(): Promise<Pages>;
  /** The files by their paths, with their content: the server's user may not reach the folder. */
  files: Map<string, StaticFile & { content: Uint8Array<ArrayBuffer> }>;
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
    snapshot.routes.find(({ path }) => path.replace(/\.[jt]sx?$/, "") === name);
  const wrapper = special("_app");
  if (!wrapper) throw new Error("routes/_app.tsx is missing: it renders the document around every page");
  const errorPage = special("_error");

  const load = async (): Promise<Pages> => {
    const { default: { routes, islands } } = await snapshot.pages();
    const component = (path: string) => routes[path].default as Pages["app"];
    return {
      app: component(wrapper.path),
      errorPage: errorPage && component(errorPage.path),
      module: (path) => routes[path],
      islands: islandsOf(islands),
    };
  };
  let pages: Promise<Pages> | null = null;
  runtimeState.buildId = snapshot.buildId;
  app[BUILD] = {
    snapshot,
    routes: snapshot.routes.filter(({ path }) => !path.startsWith("_")),
    middleware: special("_middleware")?.module?.default as Middleware | undefined,
    hasErrorPage: errorPage !== undefined,
    pages: () => pages ??= load(),
    files: new Map(
      Object.entries(snapshot.files).map(([path, file]) => {
        return [path, { ...file, content: Deno.readFileSync(`${staticDir}${path}`) }];
      }),
    ),
  };
}

/** The islands by their components. */
function islandsOf(files: readonly IslandFile[]): Map<unknown, Island> {
  const islands = new Map<unknown, Island>();
  for (const file of files) {
    for (const [exportName, value] of Object.entries(file.module)) {
      if (typeof value !== "function") continue;
      const name = exportName === "default" ? file.name : `${file.name}.${exportName}`;
      islands.set(value, { name, exportName, file });
    }
  }
  return islands;
}
