/** Bundles player/ into the one script of the HTML players. */
import { build } from "esbuild";
import { join } from "node:path";

const root = join(import.meta.dirname!, "..");

/** Televisions keep the browser they were sold with; ES2017 is what those of 2018 and later have. */
export const PLAYER_TARGET = "es2017";

export async function bundlePlayer(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, "player/main.ts")],
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
