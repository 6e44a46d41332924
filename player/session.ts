/** The viewer's session with the service, where it has a login. */
import type { Offer } from "./messages.ts";

const DAY_MS = 86_400_000;

/** The message for a viewer without a session, with the service or with a proxy in front of it. */
export const NO_SESSION = {
  loggedOut: "You are logged out.",
  signedOut: "The proxy has signed you out.",
};

/** The way to a new session: this page, or the one whose frame this is, which without a session leads to the login. */
export function loginLink(): Offer {
  const text = "Log in again";
  try {
    return { text, go: self.top!.location.href };
  } catch (_) {
    return { text, go: location.href }; // in a frame of another site
  }
}

/**
 * Only pages renew the session's cookie, and a player may run for longer than that lives. Its own address may be one of
 * the API's, so it asks for the first page.
 */
export function keepSession(): void {
  setInterval(() => fetch("/", { method: "HEAD" }).catch(() => {}), DAY_MS);
}
