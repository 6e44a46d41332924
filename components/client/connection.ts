import { createContext } from "preact";
import { ApiError } from "./api.ts";

/**
 * The page's connection with the service: `lost` without an answer, `loggedOut` when the session has ended, `signedOut`
 * when the session with a proxy in front of the service has ended.
 */
export type Connection = "up" | "lost" | "loggedOut" | "signedOut";

/** The connection for dialogs, which hide the page's toasts. */
export const CurrentConnection = createContext<Connection>("up");

/** The connection after a failed request. */
export function connectionAfter(error: unknown): Connection {
  if (!(error instanceof ApiError)) return "lost";
  if (error.isOfProxy) return "signedOut";
  return error.status === 401 ? "loggedOut" : "lost";
}

/**
 * The words for a person without a session, and the link to a new session: at a proxy, this very page. Null: the
 * session is not the problem.
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

/** The address of the login page that leads back to the present page. */
export function loginLink(): string {
  return `/login?next=${encodeURIComponent(location.pathname + location.search)}`;
}
