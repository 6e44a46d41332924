import type { ComponentType } from "preact";
import type { Middleware, PageComponent, RouteConfig, RouteHandler } from "./types.ts";
import { runtimeState } from "./shared.ts";
import { type App, setBuildCache } from "./app.ts";

/** The exports of a file below routes/. */
export interface RouteModule {
  default?: PageComponent<unknown, unknown> | Middleware | Middleware[];
  handler?: RouteHandler;
  handlers?: RouteHandler;
  config?: RouteConfig;
}

export interface RouteFile {
  /** Relative to routes/, such as `api/streams/[id]/index.ts`. */
  path: string;
  module: RouteModule;
}

export interface IslandFile {
  name: string;
  module: Record<string, unknown>;
  /** The client bundle's path below the base path. */
  url: string;
  /** Every chunk the bundle imports statically, for modulepreload. */
  imports: string[];
}

export interface StaticFile {
  hash: string;
  type: string;
  size: number;
}

/** What `_fresh/snapshot.js` holds: everything the server needs to know about the build. */
export interface Snapshot {
  buildId: string;
  boot: { url: string; imports: string[] };
  /** In matching order. */
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
  staticDir: string;
  files: Map<string, StaticFile>;
  islands: Map<unknown, Island>;
}

/**
 * Gives an app its build: called by the generated `_fresh/server.js` after main.ts was imported.
 *
 * @param staticDir the absolute path of `_fresh/static`
 */
export function installBuild<State>(app: App<State>, snapshot: Snapshot, staticDir: string): void {
  const islands = new Map<unknown, Island>();
  for (const file of snapshot.islands) {
    for (const [exportName, value] of Object.entries(file.module)) {
      if (typeof value !== "function") continue;
      const name = exportName === "default" ? file.name : `${file.name}.${exportName}`;
      islands.set(value as ComponentType, { name, exportName, file });
    }
  }
  runtimeState.buildId = snapshot.buildId;
  runtimeState.basePath = app.config.basePath;
  setBuildCache(app, { snapshot, staticDir, files: new Map(Object.entries(snapshot.files)), islands });
}
