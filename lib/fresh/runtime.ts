/** Fresh's runtime API: what components and islands use on the server and in the browser. */
import type { ComponentChildren } from "preact";
import { BUILD_ID_PARAM, runtimeState } from "./shared.ts";

/**
 * True in the browser, false while the server renders.
 *
 * @example
 * ```tsx
 * if (!IS_BROWSER) return <p>Loading</p>;
 * ```
 */
export const IS_BROWSER: boolean = typeof document !== "undefined";

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
  const { basePath, buildId } = runtimeState;
  const url = new URL(path, "http://asset");
  if (url.searchParams.has(BUILD_ID_PARAM)) return path;
  url.searchParams.set(BUILD_ID_PARAM, buildId);
  const isPrefixed = basePath === "" || url.pathname === basePath || url.pathname.startsWith(`${basePath}/`);
  return (isPrefixed ? "" : basePath) + url.pathname + url.search + url.hash;
}

/**
 * Puts its children into the document's `<head>`. A `<title>`, or an element with a `key`, replaces an earlier one.
 *
 * @example
 * ```tsx
 * <Head><title>Streams</title></Head>
 * ```
 */
export function Head(props: { children?: ComponentChildren }): null {
  runtimeState.collectHead?.(props.children);
  return null;
}
