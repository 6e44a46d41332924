import { createContext } from "preact";
import { ApiError } from "./api.ts";

/**
 * How the page stands with the service: `lost` without an answer, `loggedOut` when the session has ended, `signedOut` when
 * that with a proxy in front of the service has.
 */
export type Connection = "up" | "lost" | "loggedOut" | "signedOut";

/** For whatever is in front of the page and hides its toasts. */
export const CurrentConnection = createContext<Connection>("up");

/** What a failed request tells. */
export function connectionAfter(error: unknown): Connection {
  if (!(error instanceof ApiError)) return "lost";
  if (error.isOfProxy) return "signedOut";
  return error.status === 401 ? "loggedOut" : "lost";
}

/**
 * What a person without a session reads, and where they get another: at a proxy, by this very page. Null where that is not
 * what is wrong.
 */
export function wayBack(connection: string): { says: string; link: string; href: string } | null {
  if (connection === "loggedOut") {
    return { says: "You are logged out.", link: "Log in again", href: loginLink() };
  }
  if (connection !== "signedOut") return null;
  return {
    says: "The proxy in front of the service has signed you out.",
    link: "Load this page again",
    href: location.pathname + location.search,
  };
}

/** The login page that leads back to where the viewer is. */
export function loginLink(): string {
  return `/login?next=${encodeURIComponent(location.pathname + location.search)}`;
}
