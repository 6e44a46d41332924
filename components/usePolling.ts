import { useEffect, useRef } from "preact/hooks";

const EVERY_MS = 3_000;
const SLOWEST_MS = 30_000;

/**
 * Calls `poll` every 3 s (or `every` ms) while the page is visible; failures double the pause up to 30 s. Coming
 * back to the page, or online, polls at once, and so does the returned function.
 */
export function usePolling(poll: () => Promise<void>, every = EVERY_MS): () => void {
  const latest = useRef(poll);
  latest.current = poll;
  const pollNow = useRef(() => {});

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pause = every;
    let isPolling = false;
    let isOver = false;

    async function run() {
      clearTimeout(timer);
      if (isPolling || document.hidden) return;
      isPolling = true;
      try {
        await latest.current();
        pause = every;
      } catch {
        pause = Math.min(pause * 2, SLOWEST_MS);
      }
      isPolling = false;
      if (!isOver) timer = setTimeout(run, pause);
    }

    pollNow.current = run;
    timer = setTimeout(run, every);
    document.addEventListener("visibilitychange", run);
    addEventListener("online", run);
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", run);
      removeEventListener("online", run);
    };
  }, []);

  return () => pollNow.current();
}
