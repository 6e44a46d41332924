import { useEffect, useRef } from "preact/hooks";
import { api } from "./api.ts";
import { type FeedListener, FeedReader } from "./feedReader.ts";

/**
 * Listens to the service's news of its streams while the page is visible.
 * @returns whether the service reports changes; while it does not, the page has to poll.
 */
export function useFeed(listener: FeedListener): () => boolean {
  const latest = useRef(listener);
  latest.current = listener;
  const reader = useRef<FeedReader>();

  useEffect(() => {
    const own = reader.current = new FeedReader({
      onnews: (news) => latest.current.onnews(news),
      onlost: () => latest.current.onlost(),
    }, {
      isHidden: () => document.hidden,
      after(ms, call) {
        const timer = setTimeout(call, ms);
        return () => clearTimeout(timer);
      },
      open: api.feed,
    });
    const now = () => own.now();
    document.addEventListener("visibilitychange", now);
    addEventListener("online", now);
    now();
    return () => {
      own.stop();
      document.removeEventListener("visibilitychange", now);
      removeEventListener("online", now);
    };
  }, []);

  return () => reader.current?.isLive ?? false;
}
