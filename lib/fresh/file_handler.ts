import type { RouteModule } from "./build_cache.ts";
import type { AnyContext, Handler } from "./chain.ts";
import type { HandlerByMethod, HandlerFn, PageComponent, PageResponse } from "./types.ts";
import { internalsOf } from "./context.ts";
import { HttpError } from "./http_error.ts";
import { renderDocument } from "./render.ts";

/**
 * Runs a route file: its handler for the method, then its component with the handler's data.
 *
 * @param errorStatus makes the file an error page: any method renders it, with this status
 */
export function routeHandler(
  path: string,
  module: RouteModule,
  errorStatus?: (ctx: AnyContext) => number,
): Handler {
  const component = module.default as PageComponent<unknown, unknown> | undefined;
  const handlers = module.handler ?? module.handlers;

  return async (ctx) => {
    const method = errorStatus ? "GET" : ctx.req.method;
    const handler = selectHandler(handlers, method);
    if (!handler && !(component && (errorStatus || isPageMethod(module, method)))) throw new HttpError(404);

    const result = handler ? await handler(ctx) : undefined;
    if (result instanceof Response) return result;
    if (handler && !isPageResponse(result)) {
      throw new TypeError(`routes/${path}: the handler must return a Response or page(...)`);
    }
    if (!component) throw new TypeError(`routes/${path}: page(...) needs a component as default export`);
    return await renderDocument(ctx, [component, ...internalsOf(ctx).wrappers], result?.data, {
      status: result?.status ?? errorStatus?.(ctx),
      headers: result?.headers,
    });
  };
}

function selectHandler(handlers: RouteModule["handler"], method: string): HandlerFn | undefined {
  if (!handlers || typeof handlers === "function") return handlers;
  const byMethod = handlers as HandlerByMethod;
  const known = method as keyof HandlerByMethod;
  const own = Object.hasOwn(byMethod, known) ? byMethod[known] : undefined;
  return own ?? (method === "HEAD" ? byMethod.GET : undefined);
}

/** Without a handler of its own, a page answers GET, and on a page without any handler `config.methods` decides. */
function isPageMethod(module: RouteModule, method: string): boolean {
  const isSilent = !module.handler && !module.handlers;
  const methods: string[] | "ALL" = isSilent ? module.config?.methods ?? ["GET"] : ["GET"];
  return methods === "ALL" || methods.includes(method) || (method === "HEAD" && methods.includes("GET"));
}

function isPageResponse(value: unknown): value is PageResponse<unknown> {
  return typeof value === "object" && value !== null && "data" in value;
}
