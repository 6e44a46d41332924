/** What is seen of a stream's page, what is remembered of it from one look to the next, and what can be done. Types, mostly. */
import type { Target } from "../../devtools/client.ts";
import type { PageLook, SeenCertificate } from "../../devtools/page_look.ts";
import type { Timings } from "../../timings.ts";
import type { PageHealth } from "../../model/answers/shapes.ts";

/** What was seen of a browser. */
export interface PageObservation {
  /** All windows and tabs, the one in front first. */
  pages: readonly Pick<Target, "id" | "url">[];
  /** The one that is the channel, as the observer remembers it. */
  mainId: string | null;
  /** The main page; null when it did not answer. */
  look: PageLook | null;
  crash: "crashed" | "out-of-memory" | null;
  /** What a dialog says that stands over the main page; null without one. */
  dialog: string | null;
  /** Since when the main page waits for its server's answer (Unix ms); null: it does not, or nobody knows. */
  loadingSince: number | null;
  /** Whether somebody watched since the page was opened: else it may wait although `loadingSince` is null. */
  isWatched: boolean;
  /** What was asked for last came as a download. */
  isDownload: boolean;
  /** The certificate that the browser does not trust, or that it was told to go on with. */
  certificate: SeenCertificate | null;
  /** It is a page to sign in on, and nobody does. */
  isLogin: boolean;
}

/** What is remembered of a stream between two observations. */
export interface PageHistory {
  /** The stream's address this is about: another address begins a new history. */
  url: string;
  /** Where the page settles by itself: a sign-in page, the other name of a host. */
  settled: string | null;
  /** When the page was sent to its address (Unix ms), while it may still go on from there by itself; else null. */
  openedAt: number | null;
  /** Tries in a row that failed, and the time (Unix ms) of the next; null: none is planned. */
  failures: number;
  retryAt: number | null;
  /** Observations in a row that the page did not answer. */
  silent: number;
  /** Since when (Unix ms) it is where it does not belong, or shows nothing. */
  awaySince: number | null;
  emptySince: number | null;
  /** Warnings in a row that were passed for an accepted certificate. */
  proceeded: number;
  /** How it was the last time. */
  health: PageFinding;
}

/** How the page is; PageHealth without its time. */
export type PageFinding = Omit<PageHealth, "since">;

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
  | { do: "dismiss"; why: string }
  /** On from the browser's warning, since the certificate was accepted. */
  | { do: "proceed"; why: string };

/** What of the stream's settings decides. */
export interface PageRules {
  /** Origins where the page's login may be. */
  loginOrigins: readonly string[];
  /** Fingerprints of certificates. */
  accepted: readonly string[];
  /** Statuses of errors with which it is right as it is. */
  acceptedStatuses: readonly number[];
  /** Other origins where it may be. */
  sites: readonly string[];
}

export type PageLimits = Pick<
  Timings,
  | "pageCheckMs"
  | "pageAwayMs"
  | "pageAnswerMs"
  | "pageGiveUpMs"
  | "pageRetryMs"
  | "pageLongestRetryMs"
  | "pageSlowRetryMs"
  | "pageLongestSlowRetryMs"
>;

const OPENING: PageFinding = { state: "opening", status: null, error: null, nextTryAt: null };

/** The history of a page that was not observed yet. @param openedAt when it was sent to `url`; null: long ago. */
export function newHistory(url: string, openedAt: number | null): PageHistory {
  return {
    ...{ url, settled: null, openedAt, failures: 0, retryAt: null, silent: 0 },
    ...{ awaySince: null, emptySince: null, proceeded: 0, health: OPENING },
  };
}

/** An address's origin; "null" for all that is no web page. */
export function originOf(url: string): string {
  return /^https?:/i.test(url) && URL.canParse(url) ? new URL(url).origin : "null";
}

/** Whether a page is where an address leads, or below it: apps add to an address, or leave it for another. */
export function isAtAddress(href: string, url: string): boolean {
  if (originOf(href) !== originOf(url) || originOf(url) === "null") return false;
  const [at, own] = [new URL(href), new URL(url)];
  const path = own.pathname.replace(/\/$/, "");
  const isBelow = at.pathname === path || at.pathname.startsWith(`${path}/`);
  const hasQuery = [...own.searchParams].every(([name, value]) =>
    at.searchParams.getAll(name).includes(value)
  );
  return isBelow && hasQuery && (own.hash === "" || at.hash.startsWith(own.hash));
}

/** The tab that is the channel: the one we know, else one that shows the stream's origin, else the one in front. */
export function mainPage<Page extends Pick<Target, "id" | "url">>(
  pages: readonly Page[],
  mainId: string | null,
  url: string,
): Page | undefined {
  return pages.find(({ id }) => id === mainId) ??
    pages.find((page) => originOf(page.url) === originOf(url)) ?? pages[0];
}
