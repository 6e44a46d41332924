import type { BuildCache } from "./build_cache.ts";

/** The key of the build that answers a context's request; only this library uses the key. */
export const CONTEXT_BUILD = Symbol("build");

export function buildOf(ctx: object): BuildCache {
  const build = (ctx as { [CONTEXT_BUILD]?: BuildCache })[CONTEXT_BUILD];
  if (!build) throw new TypeError("Not a context made by this library");
  return build;
}
