/** The viewer's session with the service, where it has a login. */

const DAY_MS = 86_400_000;

/** The login page that leads back to this page, or to the one whose frame this is. */
export function loginAddress(): string {
  const { pathname, search } = (self.top || self).location;
  return `/login?next=${encodeURIComponent(pathname + search)}`;
}

/**
 * Only pages renew the session's cookie, and a player may run for longer than that lives. Its own address may be one of
 * the API's, so it asks for the first page.
 */
export function keepSession(): void {
  setInterval(() => fetch("/", { method: "HEAD" }).catch(() => {}), DAY_MS);
}
