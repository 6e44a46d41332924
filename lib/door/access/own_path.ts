/** The address after a login. */

/** Longer than any address of ours with its query. */
const MAX_LENGTH = 2000;
const BASE = "http://own.invalid";

/**
 * The path and query, if they belong to this service; else "/". Browsers read `//`, `/\` and a text after a tab or line
 * break in them as another host's name, and dots may leave two slashes at the front; these are no addresses of ours.
 */
export function ownPath(text: string | null): string {
  // deno-lint-ignore no-control-regex
  if (text === null || text.length > MAX_LENGTH || !/^\/(?![/\\]|%2f|%5c)[^\\\x00-\x20\x7f]*$/i.test(text)) {
    return "/";
  }
  if (!URL.canParse(text, BASE)) return "/";
  const { origin, pathname, search } = new URL(text, BASE);
  const isOwn = origin === BASE && !/^\/(?:\/|%2f|%5c)/i.test(pathname);
  // the login page would only ask again, and /logout would say that the user is logged out
  return isOwn && !/^\/log(?:in|out)(?:\/|$)/.test(pathname) ? pathname + search : "/";
}

/** The address of the login page that leads back to a path. */
export function loginAddress(next: string): string {
  const path = ownPath(next);
  return path === "/" ? "/login" : `/login?next=${encodeURIComponent(path)}`;
}
