/** The content of a backup; files that are made anew are left out. Pure. */

/** The places in a backup's archive. */
export const MANIFEST = "backup.json";
export const STREAMS = "streams";
export const AUTHORITIES = "ca";
export const PROFILES = "profiles";

/** Bytes: many times a file of streams/ or ca/. */
export const MAX_FILE = 64 * 1024 * 1024;

/** Bytes of a list of names: many times a list of profiles. */
export const MAX_LIST = 256 * 1024 * 1024;

/** For lists of names: a backup may take minutes. */
export const FIND_LIMITS = { maxList: MAX_LIST, timeoutMs: 10 * 60_000 };

/**
 * Whether a file of DATA_DIR/streams is kept: all files but the reserve of room, half-written files, and thumbnails,
 * which are captured anew within seconds of a start. Files of later versions are kept without a change here.
 * @param path below that folder.
 */
export function isKept(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return path !== ".reserve" && !(name.startsWith(".") && name.endsWith(".tmp")) &&
    name !== "thumb.jpg" && name !== "thumb.tmp.jpg";
}

/** Folders of a Chromium's profile that it fills again by itself: most of a profile's size. */
export const CACHES = [
  "Cache",
  "Code Cache",
  "GPUCache",
  "GrShaderCache",
  "ShaderCache",
  "GraphiteDawnCache",
  "DawnGraphiteCache",
  "DawnWebGPUCache",
  "Crash Reports",
];

/** The description of a backup, in its archive. */
export interface Manifest {
  format: 1;
  /** The version of the service that made the backup. */
  version: string;
  /** ISO 8601 */
  madeAt: string;
  hasProfiles: boolean;
}

/** @throws {Error} when the text is no manifest, or has a later format. */
export function parseManifest(text: string): Manifest {
  const manifest = JSON.parse(text) as Manifest | null;
  if (typeof manifest?.format !== "number") throw new Error("its manifest is missing or damaged");
  if (manifest.format !== 1) {
    throw new Error(`a later version (${manifest.version}) made it; restore it with that`);
  }
  return manifest;
}
