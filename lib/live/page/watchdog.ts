/**
 * Keeps each running stream on its page: looks at it every 5 s, says how it is, and brings it back when it wandered off,
 * crashed, hangs or could not be loaded. One connection per stream stays open (page_connection.ts).
 */
import { noSuchStream, ServiceError } from "../../errors.ts";
import { errorText, log } from "../../system/log.ts";
import type { BrowserControl, Target } from "../../devtools/client.ts";
import { openPage } from "../../devtools/open_page.ts";
import { isLoginPage } from "../../devtools/login_page.ts";
import { lookAtPage, type PageLook, proceed } from "../../devtools/page_look.ts";
import type { StreamId } from "../../model/id.ts";
import { shortSeen } from "../../model/page_health.ts";
import type { Part } from "../../system/part.ts";
import { Loop, withTimeout } from "../../system/time.ts";
import type { AddEvent } from "../../model/events.ts";
import { PageConnection } from "./connection.ts";
import { decide } from "./decision.ts";
import {
  type Action,
  isAtAddress,
  mainPage,
  newHistory,
  type PageHistory,
  type PageLimits,
  type PageObservation,
  type PageRules,
} from "./history.ts";
import type { PageHealth } from "./health.ts";
import { type Started, StreamEntries } from "../stream_entries.ts";
import type { Timings } from "../../timings.ts";

const ROUND_MS = 1000;

/** Of a page that cannot be looked at. */
const UNSEEN: PageLook = {
  ...{ href: "", status: 0, error: "", isOpening: false, isBlank: false },
  ...{ scroll: [0, 0], isAway: false, wasAway: false },
};

/** After the last visitor has left, who may only have lost the connection, in ms. */
const VISIT_MS = 10_000;

/** How long a proxy may be away before its address is looked up again, and how long until the next time. */
const PROXY_MS = 60_000;
const PROXY_AGAIN_MS = 600_000;

/** Of one thing that was left there, each may close one. */
const MOST_ESCAPES = 4;

/** After something has happened in a page: its document is there then. */
const SOON_MS = 500;

/** Looks at whether a page that stays where it is has become a login: one in so many. */
const LOOKS_A_LOGIN = 6;

export interface WatchedStream extends PageRules, Started {
  url: string;
  /** Whether a helper signs in on its page. */
  hasLogin: boolean;
  /** How long each page of a PDF is shown. */
  pageSeconds: number;
}

export interface PageWatchdogParts {
  /** The streams that run and are wanted to. */
  running(): readonly WatchedStream[];
  /** Whether a stream is known at all. */
  isKnown(id: StreamId): boolean;
  isBusy(id: StreamId): boolean;
  /** How many people are in the stream's browser by VNC. */
  viewers(id: StreamId): number;
  /** Hears after each look whether viewers may see the page; null while nobody knows. */
  pageIs?(id: StreamId, isGood: boolean | null): void;
  browser(id: StreamId): BrowserControl;
  /** Whether a tab is none of the page's: the next page is being opened in it. */
  isAhead?(id: StreamId, tab: string): boolean;
  /** Presses Escape on the stream's display. */
  pressEscape?(id: StreamId): Promise<void>;
  /** Starts the stream's browser again. */
  restartBrowser?(id: StreamId): Promise<void>;
  /** Makes a stream's tab look as its settings want it. */
  dress?(id: StreamId, tab: Pick<Target, "id">): Promise<void>;
  /** How many processes the kernel has ended so far for want of memory. */
  oomKills(): Promise<number>;
  health: Pick<PageHealth, "find" | "changeTo" | "forget">;
  addEvent: AddEvent;
  limits: PageLimits & Pick<Timings, "pageLookMs" | "pageSilentMs" | "certificateRenewMs">;
  elapsed(): number;
}

interface WatchState {
  history: PageHistory;
  dueAt: number;
  work: Promise<void> | null;
  page: PageConnection | null;
  /** The windows as they were asked for last, and when they are due again. */
  pages: readonly Target[];
  listAt: number;
  /** As of the last look that the page answered, or the first; null before. */
  oomKills: number | null;
  /** When the browser has to be told again to go on with an accepted certificate; null: there is none. */
  renewAt: number | null;
  /** What a visit by VNC leaves is put right when it is over: when the last one left; null: there was none. */
  leftAt: number | null;
  /** Whether the keys went to something of the browser's own since somebody came. */
  wasAway: boolean;
  /** How many looks may still press Escape, after a visit. */
  escapes: number;
  /** When its browser is started again, as its proxy does not lead to the page; null: it does. */
  proxyDueAt: number | null;
  /** Where the page was scrolled to when nobody was there. */
  scroll: readonly [x: number, y: number];
  /** Somebody was signed in, and the site may show another page of its own since. */
  isReturnDue: boolean;
  /** Whether the page was one to sign in on, at which address, and in how many looks that is asked again. */
  login: { is: boolean; href: string; left: number };
}

export class PageWatchdog implements Part {
  #parts: PageWatchdogParts;
  #entries = new StreamEntries<WatchedStream, WatchState>(
    (stream) => this.#newState(stream),
    (id, { page }) => {
      page?.close();
      this.#parts.health.forget(id);
    },
  );
  #loop = new Loop("pages not watched");

  constructor(parts: PageWatchdogParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#loop.start(ROUND_MS, () => this.round());
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    this.#entries.clear();
  }

  /** Looks at the streams that are due. Each stream is due by its own start, which spreads the looks. */
  round(): void {
    const { running, isBusy, viewers, elapsed, limits } = this.#parts;
    const streams = running();
    this.#entries.keep(streams.map(({ id }) => id));
    for (const stream of streams) {
      const entry = this.#entry(stream);
      if (viewers(stream.id) > 0) {
        entry.history.openedAt = null;
        entry.leftAt = elapsed();
      }
      if (isBusy(stream.id) || entry.work || elapsed() < entry.dueAt) continue;
      entry.dueAt = elapsed() + limits.pageLookMs;
      entry.work = this.#watch(stream, entry)
        .catch((error) => {
          // the browser is being started, which is the supervisor's work
          log("debug", "page not watched", { stream: stream.id, error: errorText(error) });
          if (entry.history.health.state === "opening") entry.dueAt = elapsed();
        })
        .finally(() => entry.work = null);
    }
  }

  /**
   * Brings a stream's page back now and closes all other windows.
   * @throws {ServiceError} 404, 409 when it does not run, 503 when its browser does not answer.
   */
  async home(id: StreamId): Promise<void> {
    const stream = this.#parts.running().find((one) => one.id === id);
    if (!stream) {
      if (!this.#parts.isKnown(id)) throw noSuchStream(id);
      throw new ServiceError(409, `Stream "${id}" does not run: start it to see its page.`);
    }
    const entry = this.#entry(stream);
    // whoever waited as long may have been first
    while (entry.work) await entry.work;
    const work = this.#act(stream, entry, { do: "navigate", why: "asked for" });
    entry.work = work.catch(() => {}).finally(() => entry.work = null);
    const now = this.#parts.elapsed();
    entry.history = newHistory(stream.url, this.#parts.viewers(id) === 0 ? now : null);
    entry.dueAt = now + this.#parts.limits.pageLookMs;
    await work.catch((error) => {
      const message = `The browser of "${id}" does not answer. Restart the stream if it stays so.`;
      throw new ServiceError(503, message, undefined, { cause: error });
    });
    log("info", "page brought back", { stream: id, why: "asked for" });
  }

  /** Another page of the stream was put in front, which is known to be good. */
  moved(id: StreamId): void {
    const entry = this.#entries.get(id);
    const stream = this.#parts.running().find((one) => one.id === id);
    if (!entry || !stream) return;
    entry.page?.close();
    const now = this.#parts.elapsed();
    const health = { state: "ok", status: null, error: null, nextTryAt: null } as const;
    const history = { ...newHistory(stream.url, now), health };
    this.#parts.health.changeTo(id, health);
    Object.assign(entry, { page: null, listAt: 0, dueAt: now, renewAt: null, history });
  }

  /** Somebody was signed in: sites lead to their first page then, whatever was asked for. */
  signedIn(id: StreamId): void {
    const entry = this.#entries.get(id);
    if (entry) Object.assign(entry, { isReturnDue: true, dueAt: 0 });
  }

  /** Looks at a stream's page at the next round. */
  lookSoon(id: StreamId): void {
    const entry = this.#entries.get(id);
    if (entry) entry.dueAt = 0;
  }

  #entry(stream: WatchedStream): WatchState {
    const entry = this.#entries.of(stream);
    if (entry.history.url !== stream.url) entry.history = newHistory(stream.url, this.#parts.elapsed());
    return entry;
  }

  #newState({ url, startedAt }: WatchedStream): WatchState {
    const now = this.#parts.elapsed();
    // a page that was there before us may have been taken anywhere
    const isNew = now - startedAt < this.#parts.limits.pageCheckMs;
    return {
      ...{ history: newHistory(url, isNew ? now : null), dueAt: now, work: null },
      ...{ page: null, pages: [], listAt: 0, oomKills: null, renewAt: null },
      ...{
        leftAt: null,
        wasAway: false,
        escapes: 0,
        proxyDueAt: null,
        scroll: [0, 0],
        isReturnDue: false,
        login: { is: false, href: "", left: 0 },
      },
    };
  }

  async #watch(stream: WatchedStream, entry: WatchState): Promise<void> {
    const { viewers, isBusy, elapsed, limits, health } = this.#parts;
    const { history } = entry;
    const seen = await this.#observe(stream, entry);
    // what was seen may be of the page before
    if (isBusy(stream.id) || this.#entries.get(stream.id) !== entry || entry.history !== history) return;
    const decision = decide(
      seen,
      entry.history,
      stream,
      { viewers: viewers(stream.id), now: elapsed() },
      limits,
    );
    entry.history = decision.history;
    health.find(stream.id, decision.history.health);
    let { action } = decision;
    if (action.do === "nothing") action = this.#return(stream, entry, seen);
    if (action.do === "nothing") action = this.#renewal(stream, entry, seen);
    if (decision.history.silent > 0) entry.dueAt = elapsed();
    this.#parts.pageIs?.(stream.id, isFitToShow(seen, decision.history));
    this.#lookForProxy(stream.id, entry);
    if (action.do === "nothing") return;
    log("info", "page brought back", { stream: stream.id, did: action.do, why: action.why });
    await this.#act(stream, entry, action);
  }

  /** Back to the stream's own page of its site, after a sign-in or a visit; and what a visit left of hover and scroll is undone. */
  #return(stream: WatchedStream, entry: WatchState, { look }: PageObservation): Action {
    const { viewers, elapsed } = this.#parts;
    const isVisitOver = entry.leftAt !== null && elapsed() - entry.leftAt >= VISIT_MS;
    // what comes later is not the visitor's, though a broken page has the visit wait for its end
    if (entry.leftAt !== null && !isVisitOver) entry.wasAway ||= look?.wasAway === true;
    if (look === null || look.isOpening || viewers(stream.id) > 0) return { do: "nothing" };
    if (entry.leftAt === null) entry.scroll = look.scroll;
    if (isVisitOver && entry.wasAway) Object.assign(entry, { wasAway: false, escapes: MOST_ESCAPES });
    if (entry.escapes > 0) this.#closeDialogs(stream.id, entry, look);
    const isPage = entry.history.health.state === "ok";
    if (!isPage || !(isVisitOver || entry.isReturnDue)) return { do: "nothing" };
    const why = isVisitOver ? "a visit had left it there" : "the sign-in led there";
    Object.assign(entry, { isReturnDue: false, leftAt: null });
    if (!isAtAddress(look.href, stream.url)) {
      const { pathname } = new URL(look.href);
      this.#parts.addEvent(stream.id, "page", `Brought back from ${shortSeen(pathname)}: ${why}.`);
      return { do: "navigate", why };
    }
    if (isVisitOver && entry.page) leaveNoTrace(entry.page, entry.scroll);
    return { do: "nothing" };
  }

  /**
   * Closes what a person opened of the browser's own: its search, its menus, its questions, a file dialog. All of these
   * take the keys from the page, but the search gives them back at a click.
   */
  #closeDialogs(id: StreamId, entry: WatchState, { isAway }: PageLook): void {
    const isFirst = entry.escapes === MOST_ESCAPES;
    entry.escapes = isFirst || isAway ? entry.escapes - 1 : 0;
    if (!isFirst && !isAway) return;
    entry.dueAt = this.#parts.elapsed() + SOON_MS;
    this.#parts.pressEscape?.(id).catch((error) =>
      log("debug", "Escape not pressed", { stream: id, error: errorText(error) })
    );
  }

  /**
   * A browser reaches its proxy at the addresses that the name had at the browser's start (lib/pipeline/reach_rules.ts): the
   * kernel keeps it from others, and a name that was not known then has none.
   */
  #lookForProxy(id: StreamId, entry: WatchState): void {
    const { elapsed, viewers, restartBrowser, addEvent } = this.#parts;
    if (entry.history.health.state !== "proxy") return void (entry.proxyDueAt = null);
    entry.proxyDueAt ??= elapsed() + PROXY_MS;
    if (elapsed() < entry.proxyDueAt || viewers(id) > 0) return;
    entry.proxyDueAt = elapsed() + PROXY_AGAIN_MS;
    addEvent(id, "page", "The browser is started again, since its proxy may have another address by now.");
    restartBrowser?.(id).catch((error) =>
      log("warn", "browser not restarted", { stream: id, error: errorText(error) })
    );
  }

  /** An accepted certificate is confirmed again before Chromium forgets that: after an empty page it asks anew. */
  #renewal({ id, accepted }: WatchedStream, entry: WatchState, { certificate }: PageObservation): Action {
    const { elapsed, limits, viewers } = this.#parts;
    const isUsed = certificate !== null && accepted.includes(certificate.fingerprint);
    if (!isUsed) entry.renewAt = null;
    // by an earlier web app, nobody knows when
    else entry.renewAt ??= elapsed() + limits.certificateRenewMs / 5;
    if (entry.renewAt === null || elapsed() < entry.renewAt || viewers(id) > 0) return { do: "nothing" };
    return { do: "navigate", why: "its accepted certificate is confirmed again" };
  }

  async #observe(stream: WatchedStream, entry: WatchState): Promise<PageObservation> {
    const { elapsed, limits } = this.#parts;
    const list = async () => {
      entry.pages = await this.#pages(stream.id);
      entry.listAt = elapsed() + limits.pageCheckMs;
    };
    if (!entry.page?.isOpen || elapsed() >= entry.listAt || entry.history.silent > 0) await list();
    const main = mainPage(entry.pages, entry.page?.id ?? null, stream.url);
    const page = main && await this.#connected(stream, entry, main).catch(() => null);
    page?.resume();
    const oomKills = await this.#parts.oomKills();
    // Chromium knows only that somebody has killed its process
    if (page?.wasKilled && oomKills > (entry.oomKills ?? oomKills)) page.crash = "out-of-memory";
    entry.oomKills ??= oomKills;
    const canAnswer = page && !page.crash && page.dialog === null;
    let look = canAnswer
      ? await withTimeout(limits.pageSilentMs, lookAtPage(page.devtools, page.id)).catch(() => null)
      : null;
    // it lived when this was counted: what is counted from now on may be its end
    if (look) entry.oomKills = oomKills;
    // Chromium cuts the connection to its own pages
    if (main && !page && !main.url.startsWith("http")) look = { ...UNSEEN, href: main.url };
    // the address that failed is its tab's
    if (look?.href.startsWith("chrome-error:")) await list();
    const { crash = null, dialog = null, loadingSince = null, isWatched = false, isDownload = false } =
      page ?? {};
    const certificate = page?.certificate ?? null;
    const isLogin = page && look ? await this.#isLogin(stream, entry, page, look) : false;
    return {
      ...{ pages: entry.pages, mainId: main?.id ?? null, look, crash, dialog },
      ...{ loadingSince, isWatched, isDownload, certificate, isLogin },
    };
  }

  async #isLogin(
    { hasLogin }: WatchedStream,
    entry: WatchState,
    { devtools, id }: PageConnection,
    { href, isOpening, error }: PageLook,
  ): Promise<boolean> {
    if (hasLogin || isOpening || error !== "" || !href.startsWith("http")) return false;
    const { login } = entry;
    if (login.href === href && login.left-- > 0 && !login.is) return false;
    Object.assign(login, { href, left: LOOKS_A_LOGIN });
    const { pageSilentMs } = this.#parts.limits;
    // one that moves on is asked at the next look
    login.is = await withTimeout(pageSilentMs, isLoginPage(devtools, id)).catch(() => {
      login.left = 0;
      return login.is;
    });
    return login.is;
  }

  /** The windows and tabs that may be the stream's page, or what it opened. */
  async #pages(id: StreamId): Promise<Target[]> {
    const pages = await this.#parts.browser(id).pages();
    return pages.filter((page) => !this.#parts.isAhead?.(id, page.id));
  }

  /** The connection to the main page, a new one where it is another page by now. */
  async #connected(stream: WatchedStream, entry: WatchState, main: Target): Promise<PageConnection> {
    if (entry.page?.id === main.id && entry.page.isOpen) return entry.page;
    entry.page?.close();
    entry.page = null;
    const { id } = stream;
    // of a web app before this one, or another tab
    await this.#parts.dress?.(id, main);
    const devtools = await this.#parts.browser(id).connect(main);
    if (this.#entries.get(id) !== entry) {
      devtools[Symbol.dispose]();
      throw new Error("the stream was stopped");
    }
    const { elapsed, viewers, addEvent } = this.#parts;
    entry.page = new PageConnection(main.id, devtools, {
      pageSeconds: stream.pageSeconds,
      elapsed,
      isAlone: () => viewers(id) === 0,
      tell: (text) => addEvent(id, "console", text, "warn"),
      appAsked: (scheme) =>
        addEvent(
          id,
          "page",
          `The page asked for a program for ${scheme}: addresses. There is none; it stays.`,
        ),
      changed: (isUrgent) => entry.dueAt = Math.min(entry.dueAt, isUrgent ? 0 : elapsed() + SOON_MS),
    });
    // it can have gone nowhere before its browser was there
    if (entry.history.openedAt !== null) entry.history.openedAt = elapsed();
    return entry.page;
  }

  /** @throws {Error} when the tab cannot be sent there: it hangs, or shows a page of Chromium's own. */
  async #navigate(stream: WatchedStream, entry: WatchState, main: Target): Promise<void> {
    const page = await this.#connected(stream, entry, main);
    const leave = () => page.dialog !== null && page.answerDialog(true);
    leave();
    // the page may ask whether to leave
    const timer = setTimeout(leave, 500);
    try {
      await openPage(page.devtools, stream.url, { pageSeconds: stream.pageSeconds, isFresh: true });
    } finally {
      clearTimeout(timer);
    }
  }

  async #act(stream: WatchedStream, entry: WatchState, action: Action): Promise<void> {
    const browser = this.#parts.browser(stream.id);
    // whatever is done may open and close windows
    entry.listAt = 0;
    if (action.do === "proceed" && entry.page) {
      entry.renewAt = this.#parts.elapsed() + this.#parts.limits.certificateRenewMs;
      this.#parts.addEvent(stream.id, "certificate", "The page's certificate is the one that was accepted.");
      return await proceed(entry.page.devtools);
    }
    const pages = await this.#pages(stream.id);
    let main = mainPage(pages, entry.page?.id ?? null, stream.url);
    if (action.do === "dismiss") return entry.page?.answerDialog(false);
    if (action.do === "navigate" && main) {
      const isThere = await this.#navigate(stream, entry, main).then(() => true, () => false);
      if (!isThere) main = undefined;
    }
    if (action.do === "replace" || !main) {
      main = await browser.openTab();
      await this.#navigate(stream, entry, main);
    }
    if (pages.some(({ id }) => id !== main.id)) {
      for (const { id } of pages) {
        if (id !== main.id) await browser.closeTab(id).catch(() => {});
      }
      await browser.showTab(main.id);
    }
    await this.#connected(stream, entry, main);
  }
}

/** Takes the pointer off the page, and scrolls to where it was. */
function leaveNoTrace({ devtools }: PageConnection, [x, y]: readonly [x: number, y: number]): void {
  const away = { type: "mouseMoved", x: -1, y: -1 };
  devtools.send("Input.dispatchMouseEvent", away).catch(() => {});
  devtools.evaluate(`scrollTo(${Number(x)}, ${Number(y)})`).catch(() => {});
}

/** Whether viewers may see the page; null while nobody knows. */
function isFitToShow({ look }: PageObservation, { health }: PageHistory): boolean | null {
  if (health.state === "opening") return null;
  if (health.state !== "ok") return false;
  return look === null ? null : !look.isOpening;
}
