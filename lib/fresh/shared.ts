/**
 * The values that the server and the public runtime (`asset`) share. The browser bundle contains this module too, so
 * this module must not import anything of the server.
 */
export const runtimeState: { buildId: string } = { buildId: "" };

/** The query parameter that carries the build id in the URLs made by `asset`. */
export const BUILD_ID_PARAM = "__frsh_c";

/** The id of the data block that tells the browser which islands a page has. */
export const BOOT_DATA_ID = "__FRSH_STATE";

/** The path of the client bundles, below `_fresh/static`. */
export const CLIENT_PATH = "/_fresh/js";

export const ISLAND_START = "frsh:island:";
export const ISLAND_END = "/frsh:island:";

/** The data block's content, as `client/boot.ts` reads it. */
export interface BootData {
  buildId: string;
  /** Module URL and export name, in the order of the markers on the page. */
  islands: [url: string, exportName: string][];
  /** The flattened devalue form of every island's props. */
  props: unknown[];
}
