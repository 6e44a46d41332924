/** Which files of Debian's noVNC a browser may have, and for how long. */
import { upstreamPath } from "../door/proxy.ts";

/** Seconds; then asked again with If-Modified-Since. The names stay the same when Debian updates noVNC. */
const MAX_AGE_SECONDS = 3600;

export const CLIENT_CACHE_CONTROL = `public, max-age=${MAX_AGE_SECONDS}`;

const KINDS = /\.(?:html|js|css|json|svg|png|ico|woff2?|ttf|mp3|oga)$/;

/**
 * The file's path on the VNC proxy, or null. Only names of files: the proxy would list folders.
 * @param rawPath what follows `/api/webvnc`, still encoded.
 */
export function clientFile(rawPath: string): string | null {
  const path = upstreamPath(rawPath);
  return path !== null && KINDS.test(path) ? path : null;
}
