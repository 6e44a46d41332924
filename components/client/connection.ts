import { createContext } from "preact";
import { ApiError } from "./api.ts";

/** How the page stands with the service: `lost` without an answer, `loggedOut` when the session has ended. */
export type Connection = "up" | "lost" | "loggedOut";

/** For whatever is in front of the page and hides its toasts. */
export const CurrentConnection = createContext<Connection>("up");

/** What a failed request tells. */
export function connectionAfter(error: unknown): Connection {
  return error instanceof ApiError && error.status === 401 ? "loggedOut" : "lost";
}

/** The login page that leads back to where the viewer is. */
export function loginLink(): string {
  return `/login?next=${encodeURIComponent(location.pathname + location.search)}`;
}
