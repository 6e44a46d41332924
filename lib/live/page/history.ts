/** A look at a stream's page, the history between two looks, and the possible actions. Types, mostly. */
import type { Target } from "../../browser/client.ts";
import type { PageLook, SeenCertificate } from "./looks/page_look.ts";
import type { Timings } from "../../timings.ts";
import type { PageHealth } from "../../model/answers/shapes.ts";

/** One look at a browser. */
export interface PageObservation {
  /** All windows and tabs, the front tab first. */
  pages: readonly Pick<Target, "id" | "url">[];
  /** The id of the channel's tab, as the observer remembers it. */
  mainId: string | null;
  /** The look at the main page; null: it did not answer. */
  look: PageLook | null;
  crash: "crashed" | "out-of-memory" | null;
  /** The text of the dialog over the main page; null: there is no dialog. */
  dialog: string | null;
  /** Since when the main page waits for its server's answer (ms of the steady clock); null: it does not, or that is unknown. */
  loadingSince: number | null;
  /** Whether the page was watched since its opening: else it may wait although `loadingSince` is null. */
  isWatched: boolean;
  /** The server's last answer came as a download. */
  isDownload: boolean;
  /** The certificate that the browser does not trust, or was told to go on with. */
  certificate: SeenCertificate | null;
  /** When the page's certificate ends, trusted or not (Unix ms); null: it has none. */
  certificateEndsAt: number | null;
  /** The page asks for a login, and no helper signs in. */
  isLogin: boolean;
}

/** The history of a stream's page between two observations. */
export interface PageHistory {
  /** The page's address: another address begins a new history. */
  url: string;
  /** The origin where the page settles by itself: a sign-in page, the other name of a host. */
  settled: string | null;
  /** When the page was sent to its address (ms of the steady clock), while it may still go on from there by itself; else null. */
  openedAt: number | null;
  /** Tries in a row that failed, and the time (ms of the steady clock) of the next try; null: no try is planned. */
  failures: number;
  retryAt: number | null;
  /** Observations in a row that the page did not answer. */
  silent: number;
  /** Since when (ms of the steady clock) the page is where it does not belong, or shows nothing. */
  awaySince: number | null;
  emptySince: number | null;
  /** Warnings in a row that were passed for an accepted certificate. */
  proceeded: number;
  /** The finding of the last look. */
  health: PageFinding;
}

/** The state of the page at one look: its health without the time. */
export type PageFinding = Omit<PageHealth, "since">;

export type Action =
  /** Nothing to do. */
  | { do: "nothing" }
  /** The page stays; the other tabs are closed. */
  | { do: "close-others"; why: string }
  /** Back to the stream's address, in the same tab. */
  | { do: "navigate"; why: string }
  /** A new tab replaces a tab that does not answer. */
  | { do: "replace"; why: string }
  /** The dialog is answered with Cancel. */
  | { do: "dismiss"; why: string }
  /** The browser passes its warning, since the certificate was accepted. */
  | { do: "proceed"; why: string };

/** The stream's settings that the decision needs. */
export interface PageRules {
  /** Origins where the page's login may be. */
  loginOrigins: readonly string[];
  /** Fingerprints of certificates. */
  accepted: readonly string[];
  /** Error statuses that the stream's settings accept. */
  acceptedStatuses: readonly number[];
  /** Other origins where the page may be. */
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

/** The history of a page that was not observed yet. @param openedAt when the page was sent to `url`; null: long ago. */
export function newHistory(url: string, openedAt: number | null): PageHistory {
  return {
    url,
    settled: null,
    openedAt,
    failures: 0,
    retryAt: null,
    silent: 0,
    awaySince: null,
    emptySince: null,
    proceeded: 0,
    health: OPENING,
  };
}

/** An address's origin; "null" for all that is no web page. */
export function originOf(url: string): string {
  return /^https?:/i.test(url) && URL.canParse(url) ? new URL(url).origin : "null";
}

/** The channel's tab: the known tab, else a tab that shows the stream's origin, else the front tab. */
export function mainPage<Page extends Pick<Target, "id" | "url">>(
  pages: readonly Page[],
  mainId: string | null,
  url: string,
): Page | undefined {
  return pages.find(({ id }) => id === mainId) ??
    pages.find((page) => originOf(page.url) === originOf(url)) ?? pages[0];
}
