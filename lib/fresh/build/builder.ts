import { stop } from "esbuild";
import { join, resolve, toFileUrl } from "./paths.ts";
import type { App } from "../app.ts";
import { installBuild } from "../build_cache.ts";
import { bundleClient } from "./client_bundle.ts";
import { writeBuild } from "./output.ts";
import { scanIslands, scanRoutes } from "./scan.ts";
import { buildIdOf, writeStatic } from "./static.ts";

/** The folders and the browsers of a build. */
export interface BuildOptions {
  /** The project's folder, with main.ts, routes/, islands/ and static/; the working directory by default. */
  root?: string;
  /** The build's folder, relative to `root`; _fresh by default. */
  outDir?: string;
  /** The browsers to build for, in esbuild's notation. */
  target?: string | string[];
}

/** Options of `Builder.listen`: Deno.serve's, over TCP. */
export type ListenOptions = Partial<Deno.ServeTcpOptions & Deno.TlsCertifiedKeyPem>;

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
  #root: string;
  #outDir: string;
  #target: string | string[];

  constructor(options: BuildOptions = {}) {
    this.#root = resolve(options.root ?? ".");
    this.#outDir = resolve(this.#root, options.outDir ?? "_fresh");
    this.#target = options.target ?? ["chrome99", "firefox99", "safari15"];
  }

  /**
   * Writes the build: `snapshot.js`, `pages.js`, `server.js` and `static/`.
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
   * Builds the project and serves it. `deno run --watch` starts it again when a file changes. Pass the hostname: without
   * a hostname, Deno listens on every interface.
   *
   * @param importApp imports the module that exports `app`
   */
  async listen<State>(importApp: () => Promise<{ app: App<State> }>, options?: ListenOptions): Promise<void> {
    await this.build();
    const { app } = await importApp();
    const { default: snapshot } = await import(toFileUrl(join(this.#outDir, "snapshot.js")));
    installBuild(app, snapshot, join(this.#outDir, "static"));
    await Deno.serve(options ?? {}, app.handler()).finished;
  }

  async #build(): Promise<void> {
    const root = this.#root;
    const routes = await scanRoutes(join(root, "routes"));
    const islands = await scanIslands(join(root, "islands"));
    const client = await bundleClient(root, routes, islands, this.#target);

    const files = await writeStatic(join(root, "static"), client.files, join(this.#outDir, "static"));
    const buildId = await buildIdOf(files);
    await writeBuild(this.#outDir, { root, routes, islands, client, files, buildId });
  }
}
