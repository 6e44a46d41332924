/** Looks at a stream's page: its windows, the one that is the channel, and the one connection to it that stays open. */
import type { BrowserControl, Target } from "../../devtools/client.ts";
import { isLoginPage } from "../../devtools/login_page.ts";
import { lookAtPage, type PageLook } from "../../devtools/page_look.ts";
import type { EventKind, EventLevel } from "../../model/answers/events.ts";
import { withTimeout } from "../../system/time.ts";
import type { Timings } from "../../timings.ts";
import { PageConnection } from "./connection.ts";
import { mainPage, type PageObservation } from "./history.ts";

/** Of a page that cannot be looked at. */
const UNSEEN: PageLook = {
  ...{ href: "", status: 0, error: "", isOpening: false, isBlank: false },
  ...{ scroll: [0, 0], isAway: false, wasAway: false },
};

/** Looks at whether a page that stays where it is has become a login: one in so many. */
const LOOKS_A_LOGIN = 6;

/** What of the stream's settings counts for a look. */
export interface ObservedPage {
  url: string;
  /** Whether a helper signs in on its page. */
  hasLogin: boolean;
  /** How long each page of a PDF is shown. */
  pageSeconds: number;
}

export interface PageObserverParts {
  browser: BrowserControl;
  /** Makes a tab look as the stream's settings want it. */
  dress(tab: Pick<Target, "id">): Promise<void>;
  /** Whether a tab is none of the page's: the next page is being opened in it. */
  isAhead(tab: string): boolean;
  /** How many processes the kernel has ended so far for want of memory. */
  oomKills(): Promise<number>;
  /** How many people are in the stream's browser by VNC. */
  viewers(): number;
  tell(kind: EventKind, text: string, level?: EventLevel): void;
  limits: Pick<Timings, "pageCheckMs" | "pageSilentMs">;
  elapsed(): number;
}

export class PageObserver {
  /** Something happened: the page is worth a look, at once or as soon as its document is there. */
  onchange: (isUrgent: boolean) => void = () => {};
  /** There is a connection to another tab than before. */
  onconnect: () => void = () => {};
  #parts: PageObserverParts;
  #page: PageConnection | null = null;
  /** The windows as they were asked for last, and when they are due again. */
  #pages: readonly Target[] = [];
  #listAt = 0;
  /** As of the last look that the page answered, or the first; null before. */
  #oomKills: number | null = null;
  /** Whether the page was one to sign in on, at which address, and in how many looks that is asked again. */
  #login = { is: false, href: "", left: 0 };
  #isClosed = false;

  constructor(parts: PageObserverParts) {
    this.#parts = parts;
  }

  /** The connection to the page; null while there is none. */
  get page(): PageConnection | null {
    return this.#page;
  }

  close(): void {
    this.#isClosed = true;
    this.#page?.close();
  }

  /** Another page is in front. */
  forget(): void {
    this.#page?.close();
    this.#page = null;
    this.#listAt = 0;
  }

  /** Windows may have been opened and closed. */
  forgetWindows(): void {
    this.#listAt = 0;
  }

  /** @param isSilent whether the page did not answer the last time. @throws {Error} when the browser does not answer. */
  async observe(stream: ObservedPage, isSilent: boolean): Promise<PageObservation> {
    const { elapsed, limits, oomKills: countKills } = this.#parts;
    if (!this.#page?.isOpen || elapsed() >= this.#listAt || isSilent) await this.#list();
    const main = mainPage(this.#pages, this.#page?.id ?? null, stream.url);
    const page = main && await this.connected(stream, main).catch(() => null);
    page?.resume();
    const oomKills = await countKills();
    // Chromium knows only that somebody has killed its process
    if (page?.wasKilled && oomKills > (this.#oomKills ?? oomKills)) page.crash = "out-of-memory";
    this.#oomKills ??= oomKills;
    const canAnswer = page && !page.crash && page.dialog === null;
    let look = canAnswer
      ? await withTimeout(limits.pageSilentMs, lookAtPage(page.devtools, page.id)).catch(() => null)
      : null;
    // it lived when this was counted: what is counted from now on may be its end
    if (look) this.#oomKills = oomKills;
    // Chromium cuts the connection to its own pages
    if (main && !page && !main.url.startsWith("http")) look = { ...UNSEEN, href: main.url };
    // the address that failed is its tab's
    if (look?.href.startsWith("chrome-error:")) await this.#list();
    const { crash = null, dialog = null, loadingSince = null, isWatched = false, isDownload = false } =
      page ?? {};
    const certificate = page?.certificate ?? null;
    const isLogin = page && look ? await this.#isLogin(stream, page, look) : false;
    return {
      ...{ pages: this.#pages, mainId: main?.id ?? null, look, crash, dialog },
      ...{ loadingSince, isWatched, isDownload, certificate, isLogin },
    };
  }

  /** The windows and tabs that may be the stream's page, or what it opened. */
  async windows(): Promise<Target[]> {
    const pages = await this.#parts.browser.pages();
    return pages.filter(({ id }) => !this.#parts.isAhead(id));
  }

  /** The connection to the main page, a new one where it is another page by now. @throws {Error} when there is none. */
  async connected({ pageSeconds }: Pick<ObservedPage, "pageSeconds">, main: Target): Promise<PageConnection> {
    if (this.#page?.id === main.id && this.#page.isOpen) return this.#page;
    this.#page?.close();
    this.#page = null;
    const { browser, dress, elapsed, viewers, tell } = this.#parts;
    // of a web app before this one, or another tab
    await dress(main);
    const devtools = await browser.connect(main);
    if (this.#isClosed) {
      devtools[Symbol.dispose]();
      throw new Error("the stream was stopped");
    }
    this.#page = new PageConnection(main.id, devtools, {
      ...{ pageSeconds, elapsed },
      isAlone: () => viewers() === 0,
      tell: (text) => tell("console", text, "warn"),
      appAsked: (scheme) =>
        tell("page", `The page asked for a program for ${scheme}: addresses. There is none; it stays.`),
      changed: (isUrgent) => this.onchange(isUrgent),
    });
    this.onconnect();
    return this.#page;
  }

  async #list(): Promise<void> {
    this.#pages = await this.windows();
    this.#listAt = this.#parts.elapsed() + this.#parts.limits.pageCheckMs;
  }

  async #isLogin(
    { hasLogin }: ObservedPage,
    { devtools, id }: PageConnection,
    { href, isOpening, error }: PageLook,
  ): Promise<boolean> {
    if (hasLogin || isOpening || error !== "" || !href.startsWith("http")) return false;
    const login = this.#login;
    if (login.href === href && login.left-- > 0 && !login.is) return false;
    Object.assign(login, { href, left: LOOKS_A_LOGIN });
    // one that moves on is asked at the next look
    login.is = await withTimeout(this.#parts.limits.pageSilentMs, isLoginPage(devtools, id)).catch(() => {
      login.left = 0;
      return login.is;
    });
    return login.is;
  }
}
