import type { BuildCache } from "./build_cache.ts";
import type { FreshConfig, ListenOptions, Method, Middleware } from "./types.ts";
import { buildChain, type Handler, type ScopedMiddleware } from "./chain.ts";
import { Context } from "./context.ts";
import { answerError, dropBody, LOCAL_INFO, requestUrl } from "./exchange.ts";
import { type FileRoutes, loadFileRoutes, withWrappers } from "./file_routes.ts";
import { HttpError } from "./http_error.ts";
import { compilePattern, joinPattern } from "./pattern.ts";
import { allowedMethods, Router } from "./router.ts";

type Command<State> =
  | { kind: "use"; path: string | null; middlewares: Middleware<State>[] }
  | { kind: "route"; method: Method | "ALL"; path: string; middlewares: Middleware<State>[] }
  | { kind: "files" };

/** Set by `installBuild`; kept off the class so that it is no part of the public API. */
export let setBuildCache: <State>(app: App<State>, build: BuildCache) => void;

const NO_BUILD =
  "This app has file routes, but no build is installed: run the build (dev.ts build) and start " +
  "_fresh/server.js, which installs it, instead of main.ts.";

/**
 * A web application: middlewares and routes in the order they are added.
 *
 * @example
 * ```ts
 * export const app = new App<State>({ basePath: "/tv" }).use(staticFiles()).fsRoutes();
 * ```
 */
export class App<State> {
  readonly config: Required<FreshConfig>;
  #commands: Command<State>[] = [];
  #build: BuildCache | null = null;

  static {
    setBuildCache = (app, build) => {
      app.#build = build;
    };
  }

  constructor(config: FreshConfig = {}) {
    const basePath = (config.basePath ?? "").replace(/\/+$/, "");
    this.config = { basePath, trustProxy: config.trustProxy ?? false };
  }

  /** Adds middlewares for every route that follows, or for those at and below a path. */
  use(...middlewares: Middleware<State>[]): this;
  use(path: string, ...middlewares: Middleware<State>[]): this;
  use(first: string | Middleware<State>, ...rest: Middleware<State>[]): this {
    const isScoped = typeof first === "string";
    const middlewares = isScoped ? rest : [first, ...rest];
    this.#commands.push({ kind: "use", path: isScoped ? first : null, middlewares });
    return this;
  }

  get(path: string, ...middlewares: Middleware<State>[]): this {
    return this.#route("GET", path, middlewares);
  }

  post(path: string, ...middlewares: Middleware<State>[]): this {
    return this.#route("POST", path, middlewares);
  }

  put(path: string, ...middlewares: Middleware<State>[]): this {
    return this.#route("PUT", path, middlewares);
  }

  patch(path: string, ...middlewares: Middleware<State>[]): this {
    return this.#route("PATCH", path, middlewares);
  }

  delete(path: string, ...middlewares: Middleware<State>[]): this {
    return this.#route("DELETE", path, middlewares);
  }

  head(path: string, ...middlewares: Middleware<State>[]): this {
    return this.#route("HEAD", path, middlewares);
  }

  /** Handles every method of a path. */
  all(path: string, ...middlewares: Middleware<State>[]): this {
    return this.#route("ALL", path, middlewares);
  }

  /** Adds the routes of the routes/ folder at this place of the order. */
  fsRoutes(): this {
    this.#commands.push({ kind: "files" });
    return this;
  }

  /**
   * The app as a function from request to response.
   *
   * @throws {Error} if the app has file routes and no build is installed
   */
  handler(): (req: Request, info?: Deno.ServeHandlerInfo) => Promise<Response> {
    const build = this.#build;
    const { router, unmatched } = this.#compile();
    return async (req, info = LOCAL_INFO) => {
      const url = requestUrl(req, this.config.trustProxy);
      const ctx = new Context<State>({ req, url, info, config: this.config, build });
      const response = await this.#answer(ctx, router, unmatched).catch(answerError);
      return req.method === "HEAD" ? await dropBody(response) : response;
    };
  }

  /** Serves the app until it is stopped. Pass the hostname: without one, Deno listens on every interface. */
  async listen(options: ListenOptions = {}): Promise<void> {
    await Deno.serve(options, this.handler()).finished;
  }

  async #answer(ctx: Context<State>, router: Router, unmatched: Handler): Promise<Response> {
    const match = router.match(ctx.req.method, ctx.url.pathname);
    ctx.params = match?.params ?? {};
    ctx.route = match?.pattern ?? null;
    return await (match?.handler ?? unmatched)(ctx);
  }

  #route(method: Method | "ALL", path: string, middlewares: Middleware<State>[]): this {
    this.#commands.push({ kind: "route", method, path, middlewares });
    return this;
  }

  #compile(): { router: Router; unmatched: Handler } {
    const files = this.#loadFiles();
    const router = new Router();
    const stack: ScopedMiddleware[] = [];
    const wrap = (handler: Handler, extra: Middleware<State>[] = []) => {
      const root = { middlewares: [...stack, ...unscoped(extra)], error: files?.error };
      return withWrappers(files?.wrappers ?? [], buildChain([root], files?.notFound, handler));
    };

    for (const command of this.#commands) {
      if (command.kind === "use") {
        const scope = command.path === null
          ? null
          : compilePattern(joinPattern(this.config.basePath, command.path), true);
        stack.push(...command.middlewares.map((run) => ({ scope, run })));
      } else if (command.kind === "route") {
        const { method, middlewares } = command;
        const path = joinPattern(this.config.basePath, command.path);
        const last = middlewares.at(-1);
        if (!last) throw new TypeError(`${method} ${path} has no handler`);
        const methods = router.add(path, (methods) => wrap((ctx) => refuseMethod(ctx, methods)));
        methods.set(method, wrap(async (ctx) => await last(ctx), middlewares.slice(0, -1)));
      } else if (files) {
        stack.push(...unscoped(files.middlewares));
        for (const { pattern, wrappers, levels, handler } of files.routes) {
          const root = { middlewares: [...stack], error: files.error };
          const chain = withWrappers(wrappers, buildChain([root, ...levels], files.notFound, handler));
          router.add(joinPattern(this.config.basePath, pattern), () => chain);
        }
      }
    }
    return { router, unmatched: wrap(() => Promise.reject(new HttpError(404))) };
  }

  #loadFiles(): FileRoutes | null {
    if (!this.#commands.some(({ kind }) => kind === "files")) return null;
    if (!this.#build) throw new Error(NO_BUILD);
    return loadFileRoutes(this.#build.snapshot.routes);
  }
}

function unscoped<State>(middlewares: Middleware<State>[]): ScopedMiddleware[] {
  return middlewares.map((run) => ({ scope: null, run }));
}

function refuseMethod(ctx: { req: Request }, methods: Map<string, Handler>): Promise<Response> {
  if (ctx.req.method !== "OPTIONS") return Promise.reject(new HttpError(405));
  return Promise.resolve(new Response(null, { status: 204, headers: { allow: allowedMethods(methods) } }));
}
