import { useEffect, useRef } from "preact/hooks";
import { type Poll, Poller, type PollerPage } from "./poller.ts";

const EVERY_MS = 3_000;

const PAGE: PollerPage = {
  isHidden: () => document.hidden,
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * Calls `poll` every 3 s (or `everyMs`) while the page is visible; failures double the pause up to 30 s. Coming
 * back to the page, or online, polls at once, and so does the returned function.
 */
export function usePolling(poll: Poll, everyMs = EVERY_MS): () => void {
  const latest = useRef(poll);
  latest.current = poll;
  const poller = useRef<Poller>();

  useEffect(() => {
    const own = poller.current = new Poller((isAsked) => latest.current(isAsked), everyMs, PAGE);
    const now = () => own.now();
    document.addEventListener("visibilitychange", now);
    addEventListener("online", now);
    return () => {
      own.stop();
      document.removeEventListener("visibilitychange", now);
      removeEventListener("online", now);
    };
  }, []);

  return () => void poller.current?.now();
}
