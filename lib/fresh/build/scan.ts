import { build } from "esbuild";
import { filePattern } from "../pattern.ts";
import { basename, join, listFiles, resolve } from "./paths.ts";

const SOURCE = /\.[jt]sx?$/;
const TEST = /[._]test\.[jt]sx?$/;
const ROOT_ONLY = ["_app", "_404"];
const SPECIAL = ["_middleware", "_layout", "_error"];

/** The files of routes/ in matching order, relative to it. Folders such as `(_components)` hold no routes. */
export async function scanRoutes(routeDir: string): Promise<string[]> {
  const routes = (await listFiles(routeDir))
    .filter((path) => SOURCE.test(path) && !TEST.test(path) && !/(^|\/)\(_[^/]*\)\//.test(path))
    .sort(compareRoutes);
  routes.forEach(checkName);
  return routes;
}

/** Absolute paths of the modules whose exported functions are islands. */
export async function scanIslands(islandDir: string, routeDir: string): Promise<string[]> {
  const shared = (await listFiles(islandDir)).map((path) => join(islandDir, path));
  const local = (await listFiles(routeDir)).filter((path) => /(^|\/)\(_islands\)\//.test(path));
  return [...shared, ...local.map((path) => join(routeDir, path))]
    .filter((path) => SOURCE.test(path) && !TEST.test(path));
}

/** Refuses route files without any export the server knows, which would be routes that can only answer 404. */
export async function checkExports(routeDir: string, routes: string[]): Promise<void> {
  const { metafile } = await build({
    entryPoints: routes.map((path) => join(routeDir, path)),
    absWorkingDir: routeDir,
    outdir: routeDir,
    outbase: routeDir,
    bundle: false,
    write: false,
    metafile: true,
    jsx: "automatic",
    tsconfigRaw: {},
    logLevel: "silent",
  });
  for (const { entryPoint, exports } of Object.values(metafile.outputs)) {
    const name = basename(entryPoint ?? "").replace(SOURCE, "");
    const isWrapper = name === "_app" || name === "_layout";
    const usable = isWrapper ? ["default"] : ["default", "handler", "handlers"];
    if (exports.some((name) => usable.includes(name))) continue;
    throw new Error(`${resolve(routeDir, entryPoint ?? "")}: must export ${usable.join(" or ")}`);
  }
}

function checkName(path: string): void {
  const name = basename(path).replace(SOURCE, "");
  const isRoot = !path.includes("/");
  const isKnown = SPECIAL.includes(name) || (isRoot && ROOT_ONLY.includes(name));
  if (name.startsWith("_") && !isKnown) {
    throw new Error(
      `routes/${path}: no file of this name is known here; a route's name has no leading underscore`,
    );
  }
  if (/[[\]]/.test(filePattern(path))) {
    throw new Error(`routes/${path}: parameters are [name] or [...name], of letters, digits and underscores`);
  }
}

/** Compares two route files by their place in the matching order. */
export function compareRoutes(a: string, b: string): number {
  const left = a.replace(SOURCE, "").split("/");
  const right = b.replace(SOURCE, "").split("/");
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] === right[i]) continue;
    const byRank = rank(left[i]) - rank(right[i]);
    if (byRank !== 0) return byRank;
    return left[i] < right[i] ? -1 : 1;
  }
  return left.length - right.length;
}

/** From the most to the least specific: a mixed segment such as `[id].html` before the `[id]` that would take it. */
function rank(segment: string): number {
  const kinds = [
    /^_middleware$/,
    /^_layout$/,
    /^_/,
    /^index$/,
    /^[^([]+$/,
    /^\(/,
    /^.+\[|\].+$/,
    /^\[[^.]/,
    /^\[\.\.\./,
  ];
  return kinds.findIndex((kind) => kind.test(segment));
}
