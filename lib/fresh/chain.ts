import type { Context } from "./context.ts";
import type { Pattern } from "./pattern.ts";
import type { Middleware } from "./types.ts";
import { isNotFound } from "./http_error.ts";

// deno-lint-ignore no-explicit-any -- one chain serves apps of every state type
export type AnyContext = Context<any>;
// deno-lint-ignore no-explicit-any
export type AnyMiddleware = Middleware<any>;
export type Handler = (ctx: AnyContext) => Promise<Response>;

/** A middleware with the paths it runs for; null is every path. */
export interface ScopedMiddleware {
  scope: Pattern | null;
  run: AnyMiddleware;
}

/** What one folder (or the app itself) puts around the routes in it. */
export interface Level {
  middlewares: ScopedMiddleware[];
  error?: Handler;
}

/**
 * Wraps a handler into levels, from the outermost to the innermost. A level's error page stands outside of the level's
 * middlewares, and leaves 404 to the 404 page where there is one.
 */
export function buildChain(levels: Level[], notFound: Handler | undefined, handler: Handler): Handler {
  let chain = handler;
  for (const { middlewares, error } of levels.toReversed()) {
    for (const middleware of middlewares.toReversed()) chain = link(middleware, chain);
    if (error) chain = rescue(chain, error, (thrown) => !notFound || !isNotFound(thrown));
  }
  return notFound ? rescue(chain, notFound, isNotFound) : chain;
}

function link({ scope, run }: ScopedMiddleware, next: Handler): Handler {
  return async (ctx) => {
    if (scope && !scope.match(ctx.url.pathname)) return await next(ctx);
    const outer = ctx.next;
    ctx.next = () => next(ctx);
    try {
      return await run(ctx);
    } finally {
      ctx.next = outer;
    }
  };
}

function rescue(chain: Handler, errorPage: Handler, isMine: (error: unknown) => boolean): Handler {
  return async (ctx) => {
    try {
      return await chain(ctx);
    } catch (error) {
      if (!isMine(error)) throw error;
      ctx.error = error;
      return await errorPage(ctx);
    }
  };
}
