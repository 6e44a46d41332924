/** Looks at a stream's page: finds the channel's tab among the windows, and keeps the lasting connection to the tab. */
import type { BrowserControl, Target } from "../../devtools/client.ts";
import { isLoginPage } from "../../signin/page.ts";
import { lookAtPage, type PageLook } from "../../devtools/page_look.ts";
import type { EventKind, EventLevel } from "../../model/answers/events.ts";
import { happensWithin, withTimeout } from "../../system/time.ts";
import type { Timings } from "../../timings.ts";
import { PageConnection } from "./connection.ts";
import { mainPage, type PageObservation } from "./history.ts";

/** The look at a page without a connection. */
const UNSEEN: PageLook = {
  ...{ href: "", status: 0, error: "", failedAt: "", isOpening: false, isBlank: false, isLoading: false },
  ...{ scroll: [], zoom: null, isAway: false, wasAway: false },
};

/** Looks between two checks for a login, on a page that stays where it is. */
const LOOKS_A_LOGIN = 6;

/** The stream's settings that a look needs. */
export interface ObservedPage {
  url: string;
  /** Whether a helper signs in on its page. */
  hasLogin: boolean;
}

export interface PageObserverParts {
  browser: BrowserControl;
  /** Makes a tab look as the stream's settings want it. */
  dress(tab: Pick<Target, "id">): Promise<void>;
  /** Whether a tab is not the page's, since the next page is being opened in it. */
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
  /** Called when the page is worth a look: at once, or as soon as its document is there. */
  onchange: (isUrgent: boolean) => void = () => {};
  /** Called for a connection to another tab than before. */
  onconnect: () => void = () => {};
  #parts: PageObserverParts;
  #page: PageConnection | null = null;
  /** The windows of the last list, and when the next list is due. */
  #pages: readonly Target[] = [];
  #listAt = 0;
  /** The count at the last look that the page answered, or the first look; null before. */
  #oomKills: number | null = null;
  /** Whether the page asks for a login that no helper fills in, at which address, and the looks until the next check. */
  #login = { is: false, href: "", left: 0 };
  /** Schemes of programs that the stream's pages have asked for. */
  #apps = new Set<string>();
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

  /** Called when another page is in front. */
  forget(): void {
    this.#page?.close();
    this.#page = null;
    this.#listAt = 0;
  }

  /** Called when windows may have been opened and closed. */
  forgetWindows(): void {
    this.#listAt = 0;
  }

  /** @param isSilent whether the page did not answer the last time. @throws {Error} when the browser does not answer. */
  async observe(stream: ObservedPage, isSilent: boolean): Promise<PageObservation> {
    const { elapsed, limits, oomKills: countKills } = this.#parts;
    if (!this.#page?.isOpen || elapsed() >= this.#listAt || isSilent) await this.#list();
    const main = mainPage(this.#pages, this.#page?.id ?? null, stream.url);
    const page = main && await this.connected(main).catch(() => null);
    page?.resume();
    const oomKills = await countKills();
    // Chromium knows only that its process was killed
    if (page?.wasKilled && oomKills > (this.#oomKills ?? oomKills)) page.crash = "out-of-memory";
    this.#oomKills ??= oomKills;
    const canAnswer = page && !page.crash && page.dialog === null;
    let look = canAnswer
      ? await withTimeout(limits.pageSilentMs, lookAtPage(page.devtools, page.id)).catch(() => null)
      : null;
    // the page lived at this count: a kill that is counted later may be its end
    if (look) this.#oomKills = oomKills;
    // Chromium cuts the connection to its own pages
    if (main && !page && !main.url.startsWith("http")) look = { ...UNSEEN, href: main.url };
    // only the tab has the address that failed
    if (look?.href.startsWith("chrome-error:")) await this.#list();
    const { crash = null, dialog = null, loadingSince = null, isWatched = false, isDownload = false } =
      page ?? {};
    const certificate = page?.certificate ?? null;
    const certificateEndsAt = page?.certificateEndsAt ?? null;
    const isLogin = page && look ? await this.#isLogin(stream, page, look) : false;
    return {
      ...{ pages: this.#pages, mainId: main?.id ?? null, look, crash, dialog },
      ...{ loadingSince, isWatched, isDownload, certificate, certificateEndsAt, isLogin },
    };
  }

  /** The windows and tabs of the stream's page, and of pages that it opened. */
  async windows(): Promise<Target[]> {
    const pages = await this.#parts.browser.pages();
    return pages.filter(({ id }) => !this.#parts.isAhead(id));
  }

  /** Resolves when the tab's next pages will look as they are to, unless its page hangs. */
  async dressed(tab: Target): Promise<void> {
    // the tab may be new, or older than this web app
    await happensWithin(this.#parts.limits.pageSilentMs, this.#parts.dress(tab));
  }

  /** The connection to the main page; a new connection for another page. @throws {Error} when there is none. */
  async connected(main: Target): Promise<PageConnection> {
    if (this.#page?.id === main.id && this.#page.isOpen) return this.#page;
    this.#page?.close();
    this.#page = null;
    const { browser, elapsed, viewers, tell } = this.#parts;
    await this.dressed(main);
    const devtools = await browser.connect(main);
    if (this.#isClosed) {
      devtools[Symbol.dispose]();
      throw new Error("the stream was stopped");
    }
    this.#page = new PageConnection(main.id, devtools, {
      elapsed,
      isAlone: () => viewers() === 0,
      tell: (text) => tell("console", text, "warn"),
      appAsked: (scheme) => this.#appAsked(scheme),
      changed: (isUrgent) => this.onchange(isUrgent),
    });
    this.onconnect();
    return this.#page;
  }

  /** Reports each scheme once: a page may ask again and again, and pages in turn at each of their turns. */
  #appAsked(scheme: string): void {
    const MOST = 20;
    if (this.#apps.has(scheme) || this.#apps.size >= MOST) return;
    this.#apps.add(scheme);
    const text = `The page asked for a program for ${scheme}: addresses. There is none. The page stays open.`;
    this.#parts.tell("page", text);
  }

  async #list(): Promise<void> {
    this.#pages = await this.windows();
    this.#listAt = this.#parts.elapsed() + this.#parts.limits.pageCheckMs;
  }

  async #isLogin(
    { url, hasLogin: hasHelper }: ObservedPage,
    { devtools: page, id: frameId }: PageConnection,
    { href, isOpening, error }: PageLook,
  ): Promise<boolean> {
    if (isOpening || error !== "" || !href.startsWith("http")) return false;
    const { browser, limits: { pageSilentMs } } = this.#parts;
    const login = this.#login;
    if (login.href === href && login.left-- > 0 && !login.is) return false;
    Object.assign(login, { href, left: LOOKS_A_LOGIN });
    const asked = isLoginPage({ page, frameId, url, browser, hasHelper });
    // a page that moves on is checked again at the next look
    login.is = await withTimeout(pageSilentMs, asked).catch(() => {
      login.left = 0;
      return login.is;
    });
    return login.is;
  }
}
