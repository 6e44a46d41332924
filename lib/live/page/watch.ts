/**
 * Keeps a stream on its page: looks at the page every 5 s, reports its health, and brings it back when it wandered off,
 * crashed, hangs or could not be loaded. decision.ts makes the decisions.
 */
import { ServiceError } from "../../errors.ts";
import type { BrowserControl, Target } from "../../devtools/client.ts";
import { openPage } from "../../devtools/open_page.ts";
import { proceed } from "../../devtools/page_look.ts";
import { scrollPage } from "../../devtools/page_scroll.ts";
import { errorText, log } from "../../system/log.ts";
import type { Timings } from "../../timings.ts";
import type { KeptStream } from "../kept_stream.ts";
import { decide } from "./decision.ts";
import {
  type Action,
  mainPage,
  newHistory,
  type PageHistory,
  type PageLimits,
  type PageObservation,
  type PageRules,
} from "./history.ts";
import type { PageHealth } from "./health.ts";
import type { ObservedPage, PageObserver } from "./observer.ts";
import { Visit } from "./visit.ts";

/** How long a proxy may be away before its address is looked up again, and how long until the next time. */
const PROXY_MS = 60_000;
const PROXY_AGAIN_MS = 600_000;

/** The wait after a change in a page: its document is there then. */
const SOON_MS = 500;

/** The page that is to be shown. */
export interface WatchedPage extends PageRules, ObservedPage {
  /** Whether no login keeps the page from its own content. */
  isSignedIn: boolean;
}

/** What is done at a stream's display. */
export interface DisplayHand {
  pressEscape(): Promise<void>;
  takePointer(): Promise<void>;
  resetZoom(): Promise<void>;
}

export interface PageWatchParts {
  live: KeptStream;
  browser: BrowserControl;
  observer: PageObserver;
  health: PageHealth;
  /** Takes after each look whether viewers may see the page; null: that is unknown. */
  pageIs(isGood: boolean | null): void;
  hand: DisplayHand;
  limits: PageLimits & Pick<Timings, "pageLookMs" | "certificateRenewMs">;
  elapsed(): number;
}

export class PageWatch {
  #parts: PageWatchParts;
  #visit = new Visit();
  #history: PageHistory;
  #dueAt: number;
  #work: Promise<void> | null = null;
  /** When the browser must confirm an accepted certificate again; null: there is no such certificate. */
  #renewAt: number | null = null;
  /** When the browser is started again, as its proxy does not lead to the page; null: no start is due. */
  #proxyDueAt: number | null = null;
  #isClosed = false;

  /** @param startedAt the stream's start, in ms of the steady clock. */
  constructor(parts: PageWatchParts, page: Pick<WatchedPage, "url">, startedAt: number) {
    this.#parts = parts;
    const now = parts.elapsed();
    // a page that is older than the web app may have been taken anywhere
    const isNew = now - startedAt < parts.limits.pageCheckMs;
    this.#history = newHistory(page.url, isNew ? now : null);
    this.#dueAt = now;
    parts.observer.onchange = (isUrgent) =>
      this.#dueAt = Math.min(this.#dueAt, isUrgent ? 0 : parts.elapsed() + SOON_MS);
    // the page can have gone nowhere before its browser was there
    parts.observer.onconnect = () => {
      if (this.#history.openedAt !== null) this.#history.openedAt = parts.elapsed();
    };
  }

  close(): void {
    this.#isClosed = true;
    this.#parts.observer.close();
  }

  /** Looks at the page if that is due. Each stream is due by its own start, which spreads the looks. */
  tick(page: WatchedPage): void {
    const { live, elapsed, limits } = this.#parts;
    if (this.#history.url !== page.url) this.#history = newHistory(page.url, elapsed());
    if (live.viewers > 0) this.visited();
    if (live.isBusy || this.#work || elapsed() < this.#dueAt) return;
    this.#dueAt = elapsed() + limits.pageLookMs;
    this.#work = this.#look(page)
      .catch((error) => {
        // the browser is being started, which is the supervisor's work
        log("debug", "page not watched", { stream: live.id, error: errorText(error) });
        if (this.#history.health.state === "opening") this.#dueAt = elapsed();
      })
      .finally(() => this.#work = null);
  }

  /** Brings the page back now and closes all other windows. @throws {ServiceError} 503 when its browser does not answer. */
  async home(page: WatchedPage): Promise<void> {
    const { live, elapsed, limits } = this.#parts;
    // another caller that waited may have been first
    while (this.#work) await this.#work;
    const work = this.#act(page, { do: "navigate", why: "asked for" }, true);
    this.#work = work.catch(() => {}).finally(() => this.#work = null);
    this.#history = newHistory(page.url, live.viewers === 0 ? elapsed() : null);
    this.#dueAt = elapsed() + limits.pageLookMs;
    await work.catch((error) => {
      const message = `The browser of "${live.id}" does not answer. Restart the stream if it stays so.`;
      throw new ServiceError(503, message, undefined, { cause: error });
    });
    log("info", "page brought back", { stream: live.id, why: "asked for" });
  }

  /** Another page of the stream was put in front, which is known to be good. */
  moved({ url }: Pick<WatchedPage, "url">): void {
    const { observer, health, elapsed } = this.#parts;
    observer.forget();
    this.#visit.opened();
    const good = { state: "ok", status: null, error: null, nextTryAt: null } as const;
    this.#history = { ...newHistory(url, elapsed()), health: good };
    health.changeTo(good);
    this.#dueAt = elapsed();
    this.#renewAt = null;
  }

  /** Somebody is in the browser, or has just left it: a visit may be shorter than the time between two ticks. */
  visited(): void {
    this.#history.openedAt = null;
    this.#visit.goesOn(this.#parts.elapsed());
  }

  /** After a sign-in: sites lead to their first page then, whatever was asked for. */
  signedIn(): void {
    this.#visit.signedIn(this.#parts.elapsed());
    this.lookSoon();
  }

  /** Looks at the page at the next tick. */
  lookSoon(): void {
    this.#dueAt = 0;
  }

  async #look(page: WatchedPage): Promise<void> {
    const { live, observer, elapsed, limits, health, pageIs } = this.#parts;
    const history = this.#history;
    const seen = await observer.observe(page, history.silent > 0);
    // the look may have been at the page before
    if (live.isBusy || this.#isClosed || this.#history !== history) return;
    const decision = decide(seen, history, page, { viewers: live.viewers, now: elapsed() }, limits);
    this.#history = decision.history;
    health.find(decision.history.health, { host: hostOf(page.url), failures: history.failures });
    let { action } = decision;
    if (action.do === "nothing") action = this.#endVisit(page, seen);
    if (action.do === "nothing") action = this.#renewal(page, seen);
    if (decision.history.silent > 0) this.#dueAt = elapsed();
    const isFit = isFitToShow(seen, decision.history);
    // a good page that is about to be left is not shown
    pageIs(isFit && action.do === "navigate" ? null : isFit);
    this.#lookForProxy();
    if (action.do === "nothing") return;
    log("info", "page brought back", { stream: live.id, did: action.do, why: action.why });
    await this.#act(page, action);
  }

  /** The way back to the stream's own page after a sign-in or a visit; undoes the traces of a visit as well. */
  #endVisit({ url, isSignedIn }: WatchedPage, { look }: PageObservation): Action {
    const { live, observer, elapsed, hand } = this.#parts;
    const { pressesEscape, takesPointer, resetsZoom, action, says, scroll } = this.#visit.end(
      {
        ...{ look, url, isSignedIn },
        ...{ isWell: this.#history.health.state === "ok", isAlone: live.viewers === 0 },
      },
      elapsed(),
    );
    const failed = (what: string) => (error: unknown) =>
      log("debug", what, { stream: live.id, error: errorText(error) });
    // an open list would get the other keys
    const isClear = takesPointer
      ? hand.takePointer().catch(failed("pointer not taken away"))
      : Promise.resolve();
    if (pressesEscape) {
      this.#dueAt = elapsed() + SOON_MS;
      isClear.then(() => hand.pressEscape()).catch(failed("Escape not pressed"));
    }
    if (resetsZoom) isClear.then(() => hand.resetZoom()).catch(failed("the page's size not reset"));
    if (says !== null) live.tell("page", says);
    const { page } = observer;
    if (scroll && page) scrollPage(page.devtools, page.id, scroll).catch(failed("page not scrolled"));
    return action;
  }

  /**
   * A browser reaches its proxy at the addresses that the name had at the browser's start (lib/pipeline/reach_rules.ts): the
   * kernel keeps the browser from others, and a name that was not known then has none.
   */
  #lookForProxy(): void {
    const { live, elapsed } = this.#parts;
    if (this.#history.health.state !== "proxy") return void (this.#proxyDueAt = null);
    this.#proxyDueAt ??= elapsed() + PROXY_MS;
    if (elapsed() < this.#proxyDueAt || live.viewers > 0) return;
    this.#proxyDueAt = elapsed() + PROXY_AGAIN_MS;
    live.tell("page", "The browser is started again, since its proxy may have another address by now.");
    live.work.restartPrograms(["browser"]).catch((error) =>
      log("warn", "browser not restarted", { stream: live.id, error: errorText(error) })
    );
  }

  /** Confirms an accepted certificate again before Chromium forgets it: after an empty page, Chromium asks anew. */
  #renewal({ accepted }: WatchedPage, { certificate }: PageObservation): Action {
    const { elapsed, limits, live } = this.#parts;
    const isUsed = certificate !== null && accepted.includes(certificate.fingerprint);
    if (!isUsed) this.#renewAt = null;
    // an earlier web app confirmed it at an unknown time
    else this.#renewAt ??= elapsed() + limits.certificateRenewMs / 5;
    if (this.#renewAt === null || elapsed() < this.#renewAt || live.viewers > 0) return { do: "nothing" };
    return { do: "navigate", why: "its accepted certificate is confirmed again" };
  }

  /** @throws {Error} when the tab cannot be sent there: it hangs, or shows a page of Chromium's own. */
  async #navigate({ url }: WatchedPage, main: Target, isReload: boolean): Promise<void> {
    const { observer } = this.#parts;
    const connection = await observer.connected(main);
    await observer.dressed(main);
    const leave = () => connection.dialog !== null && connection.answerDialog(true);
    leave();
    // the page may ask whether to leave
    const timer = setTimeout(leave, 500);
    try {
      await openPage(connection.devtools, url, { isFresh: true, isReload });
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param isReload whether nothing that the browser keeps of the page is wanted. */
  async #act(page: WatchedPage, action: Action, isReload = false): Promise<void> {
    const { live, browser, observer, elapsed, limits } = this.#parts;
    // each action may open and close windows
    observer.forgetWindows();
    if (action.do === "navigate" || action.do === "replace") this.#visit.opened();
    if (action.do === "proceed" && observer.page) {
      this.#renewAt = elapsed() + limits.certificateRenewMs;
      live.tell("certificate", "The page's certificate is the one that was accepted.");
      return await proceed(observer.page.devtools);
    }
    const pages = await observer.windows();
    let main = mainPage(pages, observer.page?.id ?? null, page.url);
    if (action.do === "dismiss") return observer.page?.answerDialog(false);
    if (action.do === "navigate" && main) {
      const isThere = await this.#navigate(page, main, isReload).then(() => true, () => false);
      if (!isThere) main = undefined;
    }
    if (action.do === "replace" || !main) {
      main = await browser.openTab();
      await this.#navigate(page, main, isReload);
    }
    if (pages.some(({ id }) => id !== main.id)) {
      for (const { id } of pages) {
        if (id !== main.id) await browser.closeTab(id).catch(() => {});
      }
      await browser.showTab(main.id);
    }
    await observer.connected(main);
  }
}

/** "grafana.local:3000"; empty for an address without a host. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : "";
}

/** Whether viewers may see the page; null: that is unknown, or the page before is still there. */
function isFitToShow({ look }: PageObservation, { health, openedAt }: PageHistory): boolean | null {
  if (health.state === "opening") return null;
  // a page that goes on by itself stays until the next document comes; one that was sent on has made room for it
  if (health.state === "slow" && openedAt === null && !look?.isOpening && !look?.isBlank) return null;
  if (health.state !== "ok") return false;
  return look === null ? null : !look.isOpening;
}
