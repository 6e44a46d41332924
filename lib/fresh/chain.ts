import type { Context, Middleware } from "./types.ts";

// deno-lint-ignore no-explicit-any -- one chain serves apps of every state type
export type AnyContext = Context<any>;
// deno-lint-ignore no-explicit-any
export type AnyMiddleware = Middleware<any>;
export type Handler = (ctx: AnyContext) => Promise<Response>;

/**
 * Wraps a handler into middlewares, from the outermost to the innermost. The error page stands outside of them all, so
 * the headers that a middleware sets after `next()` are missing on the error page.
 */
export function buildChain(middlewares: AnyMiddleware[], handler: Handler, errorPage?: Handler): Handler {
  let chain = handler;
  for (const middleware of middlewares.toReversed()) chain = link(middleware, chain);
  return errorPage ? rescue(chain, errorPage) : chain;
}

function link(run: AnyMiddleware, next: Handler): Handler {
  return async (ctx) => {
    const outer = ctx.next;
    ctx.next = async () => {
      try {
        return await next(ctx);
      } catch (error) {
        ctx.error = error;
        throw error;
      }
    };
    try {
      return await run(ctx);
    } finally {
      ctx.next = outer;
    }
  };
}

function rescue(chain: Handler, answer: Handler): Handler {
  return async (ctx) => {
    try {
      return await chain(ctx);
    } catch (error) {
      ctx.error = error;
      return await answer(ctx);
    }
  };
}
