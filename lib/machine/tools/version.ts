/** The service's version (https://semver.org), in one place. */
export const VERSION = "1.0.0";

declare global {
  /** The commit of the bundle, or null; scripts/bundle.ts puts the value in place of this name. */
  var BROWSER_STREAM_COMMIT: string | null | undefined;
}

/** The git commit that this program was built of, with "+changes" where files differed; null: a run from source. */
export const COMMIT: string | null = globalThis.BROWSER_STREAM_COMMIT ?? null;

/** "browser-stream 1.0.0 (commit 24a4223, Deno 2.9.6)" */
export function versionText(commit = COMMIT): string {
  const built = commit === null ? [] : [`commit ${commit}`];
  return `browser-stream ${VERSION} (${[...built, `Deno ${Deno.version.deno}`].join(", ")})`;
}
