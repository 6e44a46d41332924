/**
 * The address of a wall as a stream's page. Its host name means nothing outside: `.alt` is in no DNS (RFC 9476), and
 * only the browser of such a stream knows the host's address (lib/reach/browser_flags.ts). Pure.
 */

/** The service's host name for the browsers that show its walls, and for no other client. */
export const WALL_HOST = "wall.browser-stream.alt";

const ADDRESS = new RegExp(
  `^http://${WALL_HOST.replaceAll(".", "\\.")}/wall\\?layout=([a-z0-9][a-z0-9-]{0,62})$`,
);

/** The page's address of a stream that shows the wall with this id. */
export function wallAddress(layout: string): string {
  return `http://${WALL_HOST}/wall?layout=${layout}`;
}

/** The id of the wall that a page's address opens; null: no wall. */
export function wallOfAddress(url: string): string | null {
  return ADDRESS.exec(url)?.[1] ?? null;
}

/** Whether an address names our walls' host, in any spelling. */
export function isOnWallHost(url: string): boolean {
  try {
    return new URL(url).hostname.replace(/\.+$/, "") === WALL_HOST;
  } catch {
    return false;
  }
}
