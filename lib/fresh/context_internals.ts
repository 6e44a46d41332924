import type { BuildCache } from "./build_cache.ts";

const builds = new WeakMap<object, BuildCache>();

/** Notes which build a context's request is answered from; only this library may know. */
export function setBuildOf(ctx: object, build: BuildCache): void {
  builds.set(ctx, build);
}

export function buildOf(ctx: object): BuildCache {
  const build = builds.get(ctx);
  if (!build) throw new TypeError("Not a context made by this library");
  return build;
}
