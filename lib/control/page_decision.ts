/** What is to be done with a stream's page. Pure: page_watchdog.ts observes and acts. */
import type { Target } from "../devtools/client.ts";
import type { Timings } from "../timings.ts";

/** What was seen of a browser. */
export interface PageObservation {
  /** All windows and tabs, the last used first. */
  pages: readonly Pick<Target, "id" | "url">[];
  /** The one that is the channel, as the watchdog remembers it. */
  mainId: string | null;
  /** `location.href` in the main page; null when it did not answer. */
  href: string | null;
  isCrashed: boolean;
  /** A dialog stands over the main page. */
  hasDialog: boolean;
}

/** What is remembered of a stream between two observations. */
export interface PageHistory {
  /** The stream's address this is about: another address begins a new history. */
  url: string;
  /** Where the page settles by itself: a sign-in page, the other name of a host. */
  settled: string | null;
  /** The page was just sent to its address, and nobody was in the browser since. */
  isSettling: boolean;
  /** Tries in a row that ended on an error page; and the time (Unix ms) of the next. */
  failures: number;
  retryAt: number;
  /** Observations in a row that the page did not answer. */
  silent: number;
}

export type Action =
  /** Nothing to do. */
  | { do: "nothing" }
  /** The page stays; the others are closed. */
  | { do: "close-others"; why: string }
  /** Back to the stream's address, in the same tab. */
  | { do: "navigate"; why: string }
  /** A new tab replaces one that does not answer. */
  | { do: "replace"; why: string }
  /** The dialog is answered with Cancel. */
  | { do: "dismiss"; why: string };

/** A slow page may be silent once, in its worst second. */
const SILENT_LIMIT = 2;

/** The history of a page that was not observed yet. @param isSettling whether it was just sent to `url`. */
export function newHistory(url: string, isSettling: boolean): PageHistory {
  return { url, settled: null, isSettling, failures: 0, retryAt: 0, silent: 0 };
}

/** An address's origin; "null" for all that is no web page. */
function originOf(url: string): string {
  return /^https?:/i.test(url) && URL.canParse(url) ? new URL(url).origin : "null";
}

/** The tab that is the channel: the one we know, else one that shows the stream's origin, else the last used. */
export function mainPage<Page extends Pick<Target, "id" | "url">>(
  pages: readonly Page[],
  mainId: string | null,
  url: string,
): Page | undefined {
  return pages.find(({ id }) => id === mainId) ??
    pages.find((page) => originOf(page.url) === originOf(url)) ?? pages[0];
}

/**
 * What to do, and what to remember. While somebody is in the browser by VNC (`viewers` > 0) they go where they need;
 * only what cannot be their doing is repaired.
 */
export function decide(
  seen: PageObservation,
  history: PageHistory,
  { viewers, now }: { viewers: number; now: number },
  { pageRetryMs, pageLongestRetryMs }: Pick<Timings, "pageRetryMs" | "pageLongestRetryMs">,
): { action: Action; history: PageHistory } {
  const isAlone = viewers === 0;
  const next = { ...history, isSettling: history.isSettling && isAlone };
  const result = (action: Action, changes: Partial<PageHistory> = {}) => ({
    action,
    history: { ...next, ...changes },
  });
  const home = (why: string) => result({ do: "navigate", why }, { isSettling: isAlone, silent: 0 });

  const main = mainPage(seen.pages, seen.mainId, history.url);
  if (!main) return result({ do: "replace", why: "it had no window" }, { isSettling: isAlone });
  if (seen.isCrashed) return result({ do: "replace", why: "the page crashed" }, { silent: 0 });
  if (seen.hasDialog) {
    return result(isAlone ? { do: "dismiss", why: "a dialog stood open" } : { do: "nothing" }, { silent: 0 });
  }
  if (seen.href === null) {
    const silent = history.silent + 1;
    if (silent < SILENT_LIMIT) return result({ do: "nothing" }, { silent });
    return result({ do: "replace", why: "the page did not answer" }, { silent: 0 });
  }

  const allowed = [originOf(history.url), ...(history.settled ? [history.settled] : [])];
  if (seen.href.startsWith("chrome-error:")) {
    // its tab still has the address that failed: an error on another site is where the operator went, and stays
    if (!isAlone && !allowed.includes(originOf(main.url))) return result({ do: "nothing" }, { silent: 0 });
    if (now < history.retryAt) return result({ do: "nothing" }, { silent: 0 });
    const wait = Math.min(pageRetryMs * 2 ** history.failures, pageLongestRetryMs);
    return result({ do: "navigate", why: "the page could not be loaded" }, {
      failures: history.failures + 1,
      retryAt: now + wait,
      isSettling: isAlone,
      silent: 0,
    });
  }
  Object.assign(next, { failures: 0, retryAt: 0, silent: 0 });
  if (!isAlone) return result({ do: "nothing" });

  const origin = originOf(seen.href);
  if (!allowed.includes(origin)) {
    if (origin === "null") return home(`it showed ${seen.href.slice(0, 100)}`);
    // nobody was here: it goes there by itself, and would every time
    if (!next.isSettling) return home(`it had gone to ${origin}`);
    next.settled = origin;
  }
  next.isSettling = false;
  return seen.pages.length > 1
    ? result({ do: "close-others", why: "it had more than one window" })
    : result({ do: "nothing" });
}
