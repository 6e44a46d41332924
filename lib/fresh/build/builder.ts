import { stop } from "esbuild";
import { join, resolve, toFileUrl } from "./paths.ts";
import type { App } from "../app.ts";
import { installBuild } from "../build_cache.ts";
import type { ListenOptions } from "../types.ts";
import { bundleClient } from "./client_bundle.ts";
import { isSupervised, superviseDev } from "./dev_server.ts";
import { writeBuild } from "./output.ts";
import { checkExports, scanIslands, scanRoutes } from "./scan.ts";
import { buildIdOf, writeStatic } from "./static.ts";

/** Where a project's parts are; paths are relative to `root`. */
export interface BuildOptions {
  /** The project's folder; the working directory unless told. */
  root?: string;
  /** The module that exports `app`; main.ts unless told. */
  serverEntry?: string;
  /** Where the build goes; _fresh unless told. */
  outDir?: string;
  staticDir?: string;
  routeDir?: string;
  islandDir?: string;
  /** The browsers to build for, in esbuild's notation. */
  target?: string | string[];
}

const DEFAULTS = {
  serverEntry: "main.ts",
  outDir: "_fresh",
  staticDir: "static",
  routeDir: "routes",
  islandDir: "islands",
};

/**
 * Builds a project, or serves it while it is developed.
 *
 * @example
 * ```ts
 * const builder = new Builder({ target: "es2022" });
 * if (Deno.args.includes("build")) await builder.build();
 * else await builder.listen(() => import("./main.ts"), { hostname: "127.0.0.1" });
 * ```
 */
export class Builder {
  #dirs: Record<keyof typeof DEFAULTS | "root", string>;
  #target: string | string[];

  constructor(options: BuildOptions = {}) {
    const root = resolve(options.root ?? ".");
    const dirs = Object.entries(DEFAULTS).map(([name, path]) => {
      return [name, resolve(root, options[name as keyof typeof DEFAULTS] ?? path)];
    });
    this.#dirs = { root, ...Object.fromEntries(dirs) };
    this.#target = options.target ?? ["chrome99", "firefox99", "safari15"];
  }

  /**
   * Writes the build: `snapshot.js`, `server.js`, `compiled-entry.js` and `static/`.
   *
   * @throws {Error} naming the file, if a route file exports nothing the server could use
   */
  async build(): Promise<void> {
    try {
      await this.#build();
    } finally {
      // esbuild's child process would keep a build script from ending.
      await stop();
    }
  }

  /**
   * Serves the project and starts anew when a file changes.
   *
   * @param importApp imports the module that exports `app`
   */
  async listen<State>(importApp: () => Promise<{ app: App<State> }>, options?: ListenOptions): Promise<void> {
    const { root, outDir } = this.#dirs;
    if (!isSupervised()) return await superviseDev(root, outDir);
    await this.build();
    const { app } = await importApp();
    const { default: snapshot } = await import(toFileUrl(join(outDir, "snapshot.js")));
    installBuild(app, snapshot, join(outDir, "static"));
    await app.listen(options);
  }

  async #build(): Promise<void> {
    const { root, serverEntry, outDir, staticDir, routeDir, islandDir } = this.#dirs;
    const routes = await scanRoutes(routeDir);
    await checkExports(routeDir, routes);
    const islands = await scanIslands(islandDir, routeDir);
    const client = await bundleClient(root, islands, this.#target);

    const files = await writeStatic(staticDir, client.files, join(outDir, "static"));
    const buildId = await buildIdOf(files);
    await writeBuild(outDir, { serverEntry, routeDir, routes, islands, client, files, buildId });
  }
}
