import { build } from "esbuild";
import { filePattern } from "../router.ts";
import { basename, join, listFiles, resolve } from "./paths.ts";

const SOURCE = /\.[jt]sx?$/;
/** Exports that upstream knows, each with the advice for this library. */
const ADVICE: Record<string, string> = {
  handlers: 'Call it "handler".',
  handler: "A middleware and an error page have a default export alone.",
  config: "Routes have no configuration of their own.",
  css: "Put style sheets into static/.",
};

const SPECIAL = /^_(?:app|middleware|error)\.[jt]sx?$/;

/**
 * The files of routes/ in matching order, relative to it.
 *
 * @throws {Error} naming the file, if the server could not use the file
 */
export async function scanRoutes(routeDir: string): Promise<string[]> {
  const routes = (await listFiles(routeDir)).filter((path) => SOURCE.test(path)).sort(compareRoutes);
  routes.forEach(checkName);
  await checkExports(routeDir, routes);
  return routes;
}

/** Absolute paths of the modules whose exported functions are islands. */
export async function scanIslands(islandDir: string): Promise<string[]> {
  return (await listFiles(islandDir)).filter((path) => SOURCE.test(path)).map((path) =>
    join(islandDir, path)
  );
}

/** @throws {Error} when the path cannot be a route's. */
export function checkName(path: string): void {
  if (/[._]test\.[jt]sx?$/.test(path)) {
    throw new Error(`routes/${path}: a test in routes/ would be a route. Put it into tests/`);
  }
  if (/(^|\/)[_(]/.test(path) && !SPECIAL.test(path)) {
    throw new Error(
      `routes/${path}: of the names with an underscore or a parenthesis, only _app, _middleware and _error are known ` +
        "here, and only in routes/ itself",
    );
  }
  if (/[[\]]/.test(filePattern(path))) {
    throw new Error(`routes/${path}: parameters are [name] or [...name], of letters, digits and underscores`);
  }
}

/** Refuses route files without any export the server knows, which would be routes that can only answer 404. */
async function checkExports(routeDir: string, routes: string[]): Promise<void> {
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
  for (const { entryPoint = "", exports } of Object.values(metafile.outputs)) {
    const problem = exportProblem(basename(entryPoint), exports);
    if (problem !== null) throw new Error(`${resolve(routeDir, entryPoint)}: ${problem}`);
  }
}

/** The problem of a route file's exports; null: they are valid. Exports that only upstream takes are a problem, too. */
export function exportProblem(name: string, exports: readonly string[]): string | null {
  const usable = SPECIAL.test(name) ? ["default"] : ["default", "handler"];
  const unknown = exports.find((one) => Object.hasOwn(ADVICE, one) && !usable.includes(one));
  if (unknown) return `the export "${unknown}" is not known here. ${ADVICE[unknown]}`;
  return exports.some((one) => usable.includes(one)) ? null : `must export ${usable.join(" or ")}`;
}

/** Compares two route files by their position in the matching order. */
export function compareRoutes(a: string, b: string): number {
  const left = a.replace(SOURCE, "").split("/");
  const right = b.replace(SOURCE, "").split("/");
  const i = left.findIndex((segment, i) => segment !== right[i]);
  if (left[i] === undefined || right[i] === undefined) return left.length - right.length;
  return rank(left[i]) - rank(right[i]) || (left[i] < right[i] ? -1 : 1);
}

/** Ranks from most to least specific: a mixed segment such as `[id].html` before the `[id]` that would take it. */
function rank(segment: string): number {
  const kinds = [/^index$/, /^[^[]+$/, /^.+\[|\].+$/, /^\[[^.]/, /^\[\.\.\./];
  return kinds.findIndex((kind) => kind.test(segment));
}
