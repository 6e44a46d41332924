/** What a backup has, and what is left out because it is made anew. Pure. */

/** The places in a backup's archive. */
export const MANIFEST = "backup.json";
export const STREAMS = "streams";
export const AUTHORITIES = "ca";
export const PROFILES = "profiles";

/**
 * Whether a file of DATA_DIR/streams is kept: all but what takes up room in reserve, what is half written, and thumbnails,
 * which are captured anew within seconds of a start. What later versions add is kept without a change here.
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

/** What a backup says of itself. */
export interface Manifest {
  format: 1;
  /** Of the service that made it. */
  version: string;
  /** ISO 8601 */
  madeAt: string;
  hasProfiles: boolean;
}

/** @throws {Error} when it is none, or one of a later format. */
export function parseManifest(text: string): Manifest {
  const manifest = JSON.parse(text) as Manifest | null;
  if (typeof manifest?.format !== "number") throw new Error("it does not say what it is");
  if (manifest.format !== 1) {
    throw new Error(`a later version (${manifest.version}) made it; restore it with that`);
  }
  return manifest;
}
