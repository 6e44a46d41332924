import type { BuildCache, RouteModule } from "./build_cache.ts";
import type { PageComponent, PageResponse } from "./types.ts";
import { type AnyMiddleware, buildChain, type Handler } from "./chain.ts";
import { HttpError, statusOf } from "./http_error.ts";
import { renderPage } from "./render.ts";
import { filePattern, Router } from "./router.ts";

/** Makes one handler of all files of routes/, with the middlewares and the error page around them. */
export function loadRoutes(build: BuildCache, appMiddlewares: AnyMiddleware[]): Handler {
  if (build.middleware && typeof build.middleware !== "function") {
    throw new TypeError(
      "routes/_middleware: the default export is one function here; call the others from it",
    );
  }
  const middlewares = build.middleware ? [...appMiddlewares, build.middleware] : appMiddlewares;
  const errorPage = build.hasErrorPage ? errorHandler(build) : undefined;
  const wrap = (handler: Handler) => buildChain(middlewares, handler, errorPage);

  const router = new Router<Handler>();
  for (const { path, module } of build.routes) {
    const handler = module ? routeHandler(path, module) : pageHandler(path, build);
    router.add(filePattern(path), wrap(handler));
  }
  const unmatched = wrap(() => Promise.reject(new HttpError(404)));
  return async (ctx) => {
    const match = router.match(ctx.url);
    if (match) ctx.params = match.params;
    return await (match?.target ?? unmatched)(ctx);
  };
}

/** Loads a route file that renders with its first request. */
function pageHandler(path: string, build: BuildCache): Handler {
  let handler: Handler | null = null;
  return async (ctx) => {
    handler ??= routeHandler(path, (await build.pages()).module(path));
    return await handler(ctx);
  };
}

/** Runs a route file: its handler for the method, then its component with the handler's data. */
function routeHandler(path: string, module: RouteModule): Handler {
  if (typeof module.handler === "function") {
    throw new TypeError(
      `routes/${path}: a handler is an object with a function for each method, such as { GET: … }`,
    );
  }
  const component = module.default as PageComponent<unknown, unknown> | undefined;
  const handlers = new Map(Object.entries(module.handler ?? {}));
  return async (ctx) => {
    const method = ctx.req.method.toUpperCase();
    const handler = handlers.get(method) ?? (method === "HEAD" ? handlers.get("GET") : undefined);
    const isPage = component && (!module.handler || method === "GET" || method === "HEAD");
    if (!handler && !isPage) throw new HttpError(404);

    const result = await handler?.(ctx);
    if (result instanceof Response) return result;
    if (handler && !isPageResponse(result)) {
      throw new TypeError(`routes/${path}: the handler must return a Response or page(...)`);
    }
    if (!component) throw new TypeError(`routes/${path}: page(...) needs a component as default export`);
    return await renderPage(ctx, component, result?.data, {
      status: result?.status,
      headers: result?.headers,
    });
  };
}

function isPageResponse(value: unknown): value is PageResponse<unknown> {
  return typeof value === "object" && value !== null && "data" in value;
}

function errorHandler(build: BuildCache): Handler {
  return async (ctx) => {
    const { errorPage } = await build.pages();
    return await renderPage(ctx, errorPage!, undefined, { status: statusOf(ctx.error) });
  };
}
