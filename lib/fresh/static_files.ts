import { buildOf } from "./context_internals.ts";
import { BUILD_ID_PARAM, CLIENT_PATH } from "./shared.ts";
import type { Middleware } from "./types.ts";

/**
 * Serves the files of static/ and the islands' bundles; anything else goes on to `ctx.next()`.
 *
 * @example
 * ```ts
 * app.use(staticFiles());
 * ```
 */
export function staticFiles<State>(): Middleware<State> {
  return async (ctx) => {
    const build = buildOf(ctx);
    const path = filePath(ctx.url);
    const file = path === null ? undefined : build.files.get(path);
    if (path === null || !file) return await ctx.next();

    const method = ctx.req.method.toUpperCase();
    if (method !== "GET" && method !== "HEAD") {
      return new Response("Method Not Allowed", { status: 405, headers: { allow: "GET, HEAD" } });
    }
    const etag = `"${file.hash}"`;
    const isLocked = path.startsWith(`${CLIENT_PATH}/`) ||
      ctx.url.searchParams.get(BUILD_ID_PARAM) === build.snapshot.buildId;
    const headers = new Headers({
      etag,
      "cache-control": isLocked ? "public, max-age=31536000, immutable" : "no-cache",
    });
    if (isFresh(ctx.req.headers.get("if-none-match"), etag)) {
      return new Response(null, { status: 304, headers });
    }
    headers.set("content-type", file.type);
    headers.set("content-length", String(file.size));
    return new Response(method === "HEAD" ? null : file.content, { headers });
  };
}

function filePath({ pathname }: URL): string | null {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return null;
  }
}

/** RFC 9110 section 13.1.2: the comparison of If-None-Match is weak. */
function isFresh(ifNoneMatch: string | null, etag: string): boolean {
  return ifNoneMatch?.split(",").some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, ""))) ?? false;
}
