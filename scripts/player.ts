/** Bundles player/ into the scripts of the HTML players and of walls. */
import { build } from "esbuild";
import { join } from "node:path";

const root = join(import.meta.dirname!, "..");

/** Televisions keep the browser that they were sold with; televisions of 2018 and later have ES2017. */
export const PLAYER_TARGET = "es2017";

/** @param entry below player/. */
export async function bundlePlayer(entry: "main.ts" | "wall/main.ts"): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, "player", entry)],
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: "iife",
    platform: "browser",
    target: PLAYER_TARGET,
    tsconfigRaw: {},
    write: false,
    logLevel: "warning",
  });
  return outputFiles[0].text;
}
