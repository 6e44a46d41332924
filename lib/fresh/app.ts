import type { FreshConfig, Middleware } from "./types.ts";
import { BUILD, type BuildCache } from "./build_cache.ts";
import { RequestContext } from "./context.ts";
import { answerError, dropBody, LOCAL_INFO } from "./exchange.ts";
import { loadRoutes } from "./file_routes.ts";

const NO_BUILD =
  "No build is installed in this app: run the build (dev.ts build) and start _fresh/server.js, " +
  "which installs it, instead of main.ts.";

/**
 * A web application: middlewares, then the routes of routes/.
 *
 * @example
 * ```ts
 * export const app = new App<State>().use(staticFiles()).fsRoutes();
 * ```
 */
export class App<State> {
  #middlewares: Middleware<State>[] = [];
  #hasRoutes = false;
  [BUILD]: BuildCache | null = null;

  constructor(_config: FreshConfig = {}) {}

  /** Adds a middleware for every request. @throws {Error} after `fsRoutes()`, whose routes it would not reach. */
  use(middleware: Middleware<State>): this {
    if (this.#hasRoutes) throw new Error("Add middlewares before fsRoutes(): they run for what follows them");
    this.#middlewares.push(middleware);
    return this;
  }

  /** Adds the routes of the routes/ folder. */
  fsRoutes(): this {
    this.#hasRoutes = true;
    return this;
  }

  /**
   * The app as a function from request to response; every call makes a new function.
   *
   * @throws {Error} if no build is installed
   */
  handler(): (req: Request, info?: Deno.ServeHandlerInfo) => Promise<Response> {
    const build = this[BUILD];
    if (!build) throw new Error(NO_BUILD);
    const answer = loadRoutes(build, this.#middlewares);
    return async (req, info = LOCAL_INFO) => {
      const response = await answer(new RequestContext<State>(req, info, build)).catch(answerError);
      return req.method === "HEAD" ? await dropBody(response) : response;
    };
  }
}
