import { useEffect } from "preact/hooks";

const DAY_MS = 86_400_000;

/** Only pages renew the session's cookie, and a board on a wall may be open for longer than the cookie lives. */
export function useKeptSession(isLoginOn: boolean): void {
  useEffect(() => {
    if (!isLoginOn) return;
    const timer = setInterval(() => fetch("/", { method: "HEAD" }).catch(() => {}), DAY_MS);
    return () => clearInterval(timer);
  }, [isLoginOn]);
}
