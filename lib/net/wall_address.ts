/**
 * The address of a wall as a stream's page. Its name means nothing outside: `.alt` is in no DNS (RFC 9476), and only the
 * browser of such a stream is told where it leads (lib/pipeline/reach_flags.ts). Pure.
 */

/** What the service is called by the browsers that show its walls, and by nobody else. */
export const WALL_HOST = "wall.browser-stream.alt";

const ADDRESS = new RegExp(
  `^http://${WALL_HOST.replaceAll(".", "\\.")}/wall\\?layout=([a-z0-9][a-z0-9-]{0,62})$`,
);

/** The page's address of a stream that shows the wall with this id. */
export function wallAddress(layout: string): string {
  return `http://${WALL_HOST}/wall?layout=${layout}`;
}

/** The id of the wall that a page's address is; null for all others. */
export function wallOfAddress(url: string): string | null {
  return ADDRESS.exec(url)?.[1] ?? null;
}

/** Whether an address names our walls' host, in whatever spelling. */
export function isOnWallHost(url: string): boolean {
  try {
    return new URL(url).hostname.replace(/\.+$/, "") === WALL_HOST;
  } catch {
    return false;
  }
}
