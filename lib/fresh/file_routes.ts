import type { RouteFile, RouteModule } from "./build_cache.ts";
import type { AnyMiddleware, Handler, Level } from "./chain.ts";
import type { PageComponent, RouteConfig } from "./types.ts";
import { internalsOf, type Wrappers } from "./context.ts";
import { routeHandler } from "./file_handler.ts";
import { HttpError, statusOf } from "./http_error.ts";
import { filePattern } from "./pattern.ts";

export interface FileRoutes {
  /** The root folder's middlewares, which run for unmatched paths too. */
  middlewares: AnyMiddleware[];
  error: Handler | undefined;
  notFound: Handler | undefined;
  /** What surrounds a page that no file route renders. */
  wrappers: Wrappers;
  /** In matching order. `levels` leaves out the root folder; `handler` is the file's own. */
  routes: { pattern: string; wrappers: Wrappers; levels: Level[]; handler: Handler }[];
}

type Folders = Map<string, Map<string, RouteModule>>;

/** Turns the modules of routes/ into routes with everything their folders put around them. */
export function loadFileRoutes(files: RouteFile[]): FileRoutes {
  const folders: Folders = new Map();
  for (const { path, module } of files) {
    const { folder, name } = splitPath(path);
    if (name.startsWith("_")) folders.set(folder, (folders.get(folder) ?? new Map()).set(name, module));
  }
  const special = (folder: string, name: string) => folders.get(folder)?.get(name);
  const notFound = special("", "_404");
  return {
    middlewares: middlewaresOf(special("", "_middleware")),
    error: errorPage(folders, ""),
    notFound: notFound && errorHandler("_404", notFound, wrappersOf(folders, "", notFound.config)),
    wrappers: wrappersOf(folders, "", undefined),
    routes: files.filter(({ path }) => !splitPath(path).name.startsWith("_")).map(({ path, module }) => {
      const { folder } = splitPath(path);
      return {
        pattern: filePattern(path),
        wrappers: wrappersOf(folders, folder, module.config),
        levels: ancestors(folder).slice(1).map((ancestor) => ({
          middlewares: middlewaresOf(special(ancestor, "_middleware")).map((run) => ({ scope: null, run })),
          error: errorPage(folders, ancestor),
        })),
        handler: routeHandler(path, module),
      };
    }),
  };
}

/** A chain that renders inside of the given wrappers; error pages replace them by their own. */
export function withWrappers(wrappers: Wrappers, chain: Handler): Handler {
  return (ctx) => {
    internalsOf(ctx).wrappers = wrappers;
    return chain(ctx);
  };
}

function splitPath(path: string): { folder: string; name: string } {
  const slash = path.lastIndexOf("/");
  return { folder: path.slice(0, Math.max(slash, 0)), name: path.slice(slash + 1).replace(/\.[jt]sx?$/, "") };
}

/** A folder's path from the root folder (the empty string) down to itself. */
function ancestors(folder: string): string[] {
  if (folder === "") return [""];
  const segments = folder.split("/");
  return ["", ...segments.map((_, i) => segments.slice(0, i + 1).join("/"))];
}

function middlewaresOf(module: RouteModule | undefined): AnyMiddleware[] {
  const exported = module?.default ?? module?.handler ?? module?.handlers;
  return exported ? [exported as AnyMiddleware | AnyMiddleware[]].flat() : [];
}

function wrappersOf(folders: Folders, folder: string, config: RouteConfig | undefined): Wrappers {
  let layouts: Wrappers = [];
  let isAppSkipped = config?.skipAppWrapper ?? false;
  for (const ancestor of ancestors(folder)) {
    const layout = folders.get(ancestor)?.get("_layout");
    if (!layout) continue;
    if (layout.config?.skipInheritedLayouts) layouts = [];
    if (layout.config?.skipAppWrapper) isAppSkipped = true;
    layouts.unshift(layout.default as PageComponent<unknown, unknown>);
  }
  if (config?.skipInheritedLayouts) layouts = [];
  const app = folders.get("")?.get("_app")?.default as PageComponent<unknown, unknown> | undefined;
  return app && !isAppSkipped ? [...layouts, app] : layouts;
}

function errorPage(folders: Folders, folder: string): Handler | undefined {
  const module = folders.get(folder)?.get("_error");
  return module && errorHandler(`${folder}/_error`, module, wrappersOf(folders, folder, module.config));
}

function errorHandler(path: string, module: RouteModule, wrappers: Wrappers): Handler {
  const handle = routeHandler(path, module, (ctx) => statusOf(ctx.error));
  return async (ctx) => {
    // An error page hides what went wrong from people, so the log is the only place left to see it.
    if (!(ctx.error instanceof HttpError)) console.error(ctx.error);
    return await withWrappers(wrappers, handle)(ctx);
  };
}
