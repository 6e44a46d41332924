/** Fresh's runtime API, which components and islands use on the server and in the browser. */
import type { ComponentChildren } from "preact";
import { BUILD_ID_PARAM, runtimeState } from "./shared.ts";

/**
 * The URL of a static file with the build id added, so that browsers may cache it for a year.
 *
 * @param path an absolute path below static/, with or without a query and a fragment; anything else is returned as is
 * @example
 * ```tsx
 * <link rel="stylesheet" href={asset("/style.css")} />
 * ```
 */
export function asset(path: string): string {
  if (!path.startsWith("/") || path.startsWith("//") || !runtimeState.buildId) return path;
  const url = new URL(path, "http://asset");
  if (url.searchParams.has(BUILD_ID_PARAM)) return path;
  url.searchParams.set(BUILD_ID_PARAM, runtimeState.buildId);
  return url.pathname + url.search + url.hash;
}

/**
 * Puts its children into the document's `<head>`. A `<title>`, an element with a `key` or an `id`, and a `<meta>` with a
 * `name` replace an earlier element that matches. A `<link>` needs a `key`. Pages may use `Head`, islands may not.
 *
 * @example
 * ```tsx
 * <Head><title>Streams</title></Head>
 * ```
 */
export function Head(_props: { children?: ComponentChildren }): null {
  return null; // render_hooks.ts takes the children
}
