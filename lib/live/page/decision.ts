/** Decides the next action on a stream's page, and the page's health. Pure: tabs.ts looks, keeper.ts acts. */
import type { SeenCertificate } from "./looks/page_look.ts";
import {
  isOtherSite,
  type PageState,
  shortSeen,
  type Trouble,
  troubleOfError,
  troubleOfStatus,
  TROUBLES,
} from "../../model/answers/page_health.ts";
import {
  type Action,
  mainPage,
  originOf,
  type PageFinding,
  type PageHistory,
  type PageLimits,
  type PageObservation,
  type PageRules,
} from "./history.ts";

/** A slow page may be silent once, in its worst second. */
const SILENT_LIMIT = 2;
/** A new tab costs the page its state, so a busy machine gets some more time. */
const REPLACE_LIMIT = 3;

/** Times that a certificate warning is passed in a row. */
const PROCEED_LIMIT = 3;

/** A page that was opened before the watch began may stay empty for so long, in ms. */
const UNWATCHED_MS = 2000;

/** A person or the helper may be about to sign in. */
const LOGIN_TIMES = 2.5;

const NOTHING: Action = { do: "nothing" };
const AGAIN: Action = { do: "navigate", why: "the page could not be loaded" };

export interface Decision {
  action: Action;
  history: PageHistory;
}

/** The conditions that count beside the look itself. */
export interface Circumstances {
  /** People in the browser by VNC. */
  viewers: number;
  /** Milliseconds of the steady clock. */
  now: number;
}

/**
 * The action, and the history after it. A person who is in the browser by VNC may go anywhere: meanwhile only faults
 * that a person cannot cause are repaired.
 */
export function decide(
  seen: PageObservation,
  before: PageHistory,
  rules: PageRules,
  circumstances: Circumstances,
  limits: PageLimits,
): Decision {
  return new Judge(seen, before, rules, circumstances, limits).decide();
}

/** The judgement of one look. A step that decides nothing returns null. */
class Judge {
  #seen: PageObservation;
  #history: PageHistory;
  #rules: PageRules;
  #limits: PageLimits;
  #now: number;
  #isAlone: boolean;
  /** Origins where the page may be. */
  #allowed: string[];

  constructor(
    seen: PageObservation,
    before: PageHistory,
    rules: PageRules,
    { viewers, now }: Circumstances,
    limits: PageLimits,
  ) {
    this.#isAlone = viewers === 0;
    this.#seen = seen;
    this.#history = { ...before, openedAt: this.#isAlone ? before.openedAt : null };
    this.#rules = rules;
    this.#limits = limits;
    this.#now = now;
    this.#allowed = [originOf(before.url), ...rules.sites, ...(before.settled ? [before.settled] : [])];
  }

  decide(): Decision {
    return this.#tab() ?? this.#loading() ?? this.#silence() ?? this.#opening() ?? this.#errorPage() ??
      this.#place() ?? this.#certificate() ?? this.#document();
  }

  /** The window itself: gone, crashed, or under a dialog. */
  #tab(): Decision | null {
    const { pages, mainId, crash, dialog } = this.#seen;
    if (!mainPage(pages, mainId, this.#history.url)) {
      return this.#result({ do: "replace", why: "it had no window" }, this.#sent());
    }
    if (crash) {
      const why = crash === "crashed" ? "the page crashed" : "the page ran out of memory";
      return this.#failed(crash, null, { do: "replace", why }, true);
    }
    if (dialog === null) return null;
    const health = this.#found("dialog", dialog || "without words");
    const action: Action = this.#isAlone ? { do: "dismiss", why: "a dialog was open" } : NOTHING;
    return this.#result(action, { silent: 0, health });
  }

  /** The page waits for the server's first byte. Chromium passes nothing on to a page that waits for its document. */
  #loading(): Decision | null {
    const { look, loadingSince, isWatched } = this.#seen;
    const { pageAnswerMs, pageGiveUpMs } = this.#limits;
    // a page that was opened before the watch began may wait, too
    const since = loadingSince ?? (look === null && !isWatched ? this.#history.openedAt : null);
    if (since === null) return null;
    const waitedMs = this.#now - since;
    // a second request would end the first, which the server may be about to answer
    if (waitedMs >= pageGiveUpMs) return this.#failed("timeout", null, AGAIN);
    if (waitedMs >= pageAnswerMs) {
      return this.#result(NOTHING, { silent: 0, retryAt: null, health: this.#found("slow") });
    }
    return look === null ? this.#waiting() : null;
  }

  #silence(): Decision | null {
    if (this.#seen.look !== null) return null;
    const silent = this.#history.silent + 1;
    if (silent < SILENT_LIMIT) return this.#result(NOTHING, { silent });
    const health = this.#found("hung");
    if (silent < REPLACE_LIMIT) return this.#result(NOTHING, { silent, health });
    return this.#result({ do: "replace", why: "the page did not answer" }, { ...this.#sent(), health });
  }

  /** The empty page before the stream's page: it stays when the server sends something else than a page. */
  #opening(): Decision | null {
    const { look, isDownload, isWatched, loadingSince } = this.#seen;
    if (!look?.isOpening) return null;
    if (isDownload) return this.#failed("download", null, AGAIN);
    const emptySince = this.#history.emptySince ?? this.#now;
    const emptyMs = this.#now - emptySince;
    if (!isWatched && this.#isAlone && emptyMs >= UNWATCHED_MS) {
      return this.#result({ do: "navigate", why: "it was not known whether it had opened" }, this.#sent());
    }
    if (loadingSince !== null || emptyMs < this.#limits.pageAnswerMs) return this.#waiting({ emptySince });
    return withEmpty(this.#failed("download", null, AGAIN), emptySince);
  }

  /** Chromium's own page, in the place of a page that it could not or would not load. */
  #errorPage(): Decision | null {
    const { look, certificate, pages, mainId } = this.#seen;
    if (!look?.href.startsWith("chrome-error:")) return null;
    // the tab still has the address that failed: an error on another site, where a person went, stays
    const tab = mainPage(pages, mainId, this.#history.url)!;
    const isOurs = this.#allowed.includes(originOf(tab.url));
    // a page whose certificate is accepted may fail by something else
    const isWarning = look.error === "" || look.error.startsWith("ERR_CERT");
    const error = isWarning && certificate?.error.startsWith("ERR_CERT") ? certificate.error : look.error;
    const failedAt = originOf(tab.url);
    if (isOtherSite(failedAt, this.#allowed)) {
      const reason = error || look.status;
      return this.#failed("other-site", reason ? `${failedAt} (${reason})` : failedAt, AGAIN);
    }
    const trouble = troubleOfStatus(look.status) ?? troubleOfError(error);
    const isRefused = isOurs && isWarning && certificate && trouble.startsWith("certificate-");
    if (!isRefused) return this.#failed(trouble, error || null, AGAIN, this.#isAlone || isOurs);
    const isAccepted = this.#rules.accepted.includes(certificate.fingerprint);
    if (isAccepted && this.#history.proceeded < PROCEED_LIMIT) {
      const waiting = this.#waiting({ proceeded: this.#history.proceeded + 1 });
      return { ...waiting, action: { do: "proceed", why: "its certificate is accepted" } };
    }
    const isOther = !isAccepted && this.#rules.accepted.length > 0;
    return this.#failed(isOther ? "certificate-changed" : trouble, error, AGAIN, true);
  }

  /** The page is at another site. */
  #place(): Decision | null {
    const { href } = this.#seen.look!;
    const origin = originOf(href);
    if (this.#allowed.includes(origin)) {
      this.#settle();
      return null;
    }
    // what follows the scheme, such as "data:", may be anything
    const place = origin === "null" ? /^(about:\w+|[a-z][\w+.-]*:)?/i.exec(href)![0] : origin;
    if (!this.#isAlone) {
      return this.#result(NOTHING, { silent: 0, retryAt: null, health: this.#found("elsewhere", place) });
    }
    const { pageCheckMs, pageAwayMs } = this.#limits;
    const { openedAt } = this.#history;
    const awaySince = this.#history.awaySince ?? this.#now;
    if (openedAt !== null && origin !== "null") {
      if (this.#now - openedAt < pageCheckMs) return this.#waiting({ awaySince });
      // nobody was in the browser: the page goes there by itself every time
      this.#history.settled = origin;
      this.#settle();
      return null;
    }
    const isLogin = this.#rules.loginOrigins.includes(origin);
    // first_page.ts may be slow to open the page after the browser's start
    const limitMs = openedAt !== null ? pageCheckMs : pageAwayMs * (isLogin ? LOGIN_TIMES : 1);
    if (this.#now - awaySince < limitMs) return this.#waiting({ awaySince });
    return origin === "null"
      ? this.#home(`it showed ${place}`, this.#found("blank"))
      : this.#home(`it had gone to ${origin}`, this.#found("elsewhere", origin));
  }

  /** The page is where it belongs. */
  #settle(): void {
    this.#history.awaySince = null;
    const { openedAt } = this.#history;
    if (openedAt !== null && this.#now - openedAt >= this.#limits.pageCheckMs) this.#history.openedAt = null;
  }

  /** A person passed the warning; an empty page makes the browser forget that. */
  #certificate(): Decision | null {
    const { certificate } = this.#seen;
    if (!certificate || this.#rules.accepted.includes(certificate.fingerprint)) return null;
    const trouble = troubleOfError(certificate.error);
    const state = trouble.startsWith("certificate-") ? trouble : "certificate-bad";
    const health = this.#found(state, certificate.error);
    return this.#isAlone
      ? this.#home("its certificate is not accepted", health)
      : this.#result(NOTHING, { silent: 0, health });
  }

  /** Judges the server's document. */
  #document(): Decision {
    const { pages, look } = this.#seen;
    const { status, isBlank, isLoading } = look!;
    const trouble = troubleOfStatus(status);
    if (trouble && !this.#rules.acceptedStatuses.includes(status)) {
      return this.#failed(trouble, null, { do: "navigate", why: `the server answered ${status}` });
    }
    if (isBlank) {
      const emptySince = this.#history.emptySince ?? this.#now;
      const { pageAnswerMs, pageGiveUpMs } = this.#limits;
      const emptyMs = this.#now - emptySince;
      if (emptyMs < pageAnswerMs) return this.#waiting({ emptySince });
      // the document, or a script in its head, may be on its way
      if (isLoading && emptyMs < pageGiveUpMs) {
        return this.#result(NOTHING, {
          silent: 0,
          retryAt: null,
          emptySince,
          health: this.#found("slow"),
        });
      }
      return withEmpty(
        this.#failed("blank", null, { do: "navigate", why: "the page was blank" }),
        emptySince,
      );
    }
    // its server may have lost the session for a moment only
    if (this.#seen.isLogin) {
      return this.#failed("signed-out", null, { do: "navigate", why: "it showed its login" });
    }
    const isMany = this.#isAlone && pages.length > 1;
    return this.#result(isMany ? { do: "close-others", why: "it had more than one window" } : NOTHING, {
      failures: 0,
      retryAt: null,
      silent: 0,
      emptySince: null,
      proceeded: 0,
      health: this.#found("ok"),
    });
  }

  #result(action: Action, changes: Partial<PageHistory>): Decision {
    return { action, history: { ...this.#history, ...changes } };
  }

  /** The page is on its way: its health stays as it was. */
  #waiting(changes: Partial<PageHistory> = {}): Decision {
    const health = { ...this.#history.health, nextTryAt: null };
    return this.#result(NOTHING, { silent: 0, health, ...changes });
  }

  #home(why: string, health: PageFinding): Decision {
    return this.#result({ do: "navigate", why }, { ...this.#sent(), health });
  }

  /** Reports a trouble at once, and tries again with growing pauses. */
  #failed(trouble: Trouble, error: string | null, again: Action, mayAct = this.#isAlone): Decision {
    const last = this.#history.health.state;
    const isOther = last !== "opening" && paceOf(last) !== paceOf(trouble);
    const failures = isOther ? 0 : this.#history.failures;
    const stays = { failures, silent: 0 };
    if (!mayAct) {
      return this.#result(NOTHING, { ...stays, retryAt: null, health: this.#found(trouble, error) });
    }
    const retryAt = (isOther ? null : this.#history.retryAt) ?? this.#now + this.#pauseMs(trouble, failures);
    if (this.#now < retryAt) {
      return this.#result(NOTHING, { ...stays, retryAt, health: this.#found(trouble, error, retryAt) });
    }
    return this.#result(again, {
      ...this.#sent(),
      failures: failures + 1,
      health: this.#found(trouble, error),
    });
  }

  #pauseMs(trouble: Trouble, failures: number): number {
    const { pageRetryMs, pageLongestRetryMs, pageSlowRetryMs, pageLongestSlowRetryMs } = this.#limits;
    // a crashed tab shows nothing that is worth keeping
    if (this.#seen.crash && failures === 0) return 0;
    return paceOf(trouble) === "slowly"
      ? Math.min(pageSlowRetryMs * 2 ** failures, pageLongestSlowRetryMs)
      : Math.min(pageRetryMs * 2 ** failures, pageLongestRetryMs);
  }

  #found(state: PageState, error: string | null = null, nextTryAt: number | null = null): PageFinding {
    const { look, certificate, certificateEndsAt } = this.#seen;
    const isRefused = certificate !== null && state.startsWith("certificate-");
    return {
      state,
      status: look?.status || null,
      error: error ? shortSeen(error) : null,
      nextTryAt,
      ...(isRefused ? { certificate: withoutError(certificate) } : {}),
      ...(certificateEndsAt === null ? {} : { certificateEndsAt }),
    };
  }

  /** The page is on its way to its address again. */
  #sent(): Partial<PageHistory> {
    const openedAt = this.#isAlone ? this.#now : null;
    return { openedAt, silent: 0, awaySince: null, emptySince: null, retryAt: null };
  }
}

/** An empty page stays empty until it is opened again. */
function withEmpty(decision: Decision, emptySince: number): Decision {
  if (decision.action.do === "nothing") decision.history.emptySince = emptySince;
  return decision;
}

function paceOf(state: PageState): "soon" | "slowly" | undefined {
  return state === "ok" || state === "opening" ? undefined : TROUBLES[state].retry;
}

function withoutError({ error: _, ...certificate }: SeenCertificate) {
  return certificate;
}
