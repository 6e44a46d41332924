import { build } from "esbuild";
import { join, relative } from "./paths.ts";

/**
 * The islands in groups: those of one group may be on one page, as far as imports tell.
 *
 * @param routes the files below routes/. @param islands absolute paths.
 */
export async function togetherOnPages(
  root: string,
  routes: readonly string[],
  islands: readonly string[],
): Promise<string[][]> {
  const { metafile: { inputs } } = await build({
    entryPoints: routes.map((path) => join(root, "routes", path)),
    absWorkingDir: root,
    outdir: root,
    packages: "external",
    bundle: true,
    format: "esm",
    platform: "neutral",
    jsx: "automatic",
    jsxImportSource: "preact",
    tsconfigRaw: {},
    write: false,
    metafile: true,
    logLevel: "warning",
  });
  const known = new Map(islands.map((path) => [relative(root, path), path]));
  const islandsOf = (route: string) => {
    const reached = new Set([join("routes", route)]);
    for (const path of reached) for (const { path: next } of inputs[path]?.imports ?? []) reached.add(next);
    return [...reached].flatMap((path) => known.get(path) ?? []);
  };
  // the app wrapper is a part of all pages
  const everywhere = routes.filter((path) => /^_app\./.test(path)).flatMap(islandsOf);
  let groups = islands.map((path) => [path]);
  for (const route of routes) {
    const onPage = [...everywhere, ...islandsOf(route)];
    const isMet = (group: string[]) => group.some((path) => onPage.includes(path));
    const met = groups.filter(isMet).flat();
    if (met.length > 0) groups = [...groups.filter((group) => !isMet(group)), met];
  }
  return groups;
}
