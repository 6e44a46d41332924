/**
 * The tabs of a stream's browser: finds the channel's tab among them, keeps the lasting connection to it, looks at its page
 * and carries out the decisions about the page.
 */
import type { Target } from "../../browser/client.ts";
import { openPage } from "../../browser/open_page.ts";
import { lookAtPage, type PageLook, proceed } from "./looks/page_look.ts";
import { isLoginPage } from "../../signin/page.ts";
import { happensWithin, withTimeout } from "../../machine/tools/time.ts";
import { PageConnection } from "./connection.ts";
import type { PageDresser } from "./dresser.ts";
import { type Action, mainPage, type PageObservation } from "./history.ts";
import type { Rotation } from "./rotation.ts";
import type { StartedPage } from "./started_page.ts";

/** The look at a page without a connection. */
const UNSEEN: PageLook = {
  href: "",
  status: 0,
  error: "",
  failedAt: "",
  isOpening: false,
  isBlank: false,
  isLoading: false,
  scroll: [],
  zoom: null,
  isAway: false,
  wasAway: false,
};

/** Looks between two checks for a login, on a page that stays where it is. */
const LOOKS_A_LOGIN = 6;

/** The stream's settings that a look needs. */
export interface ObservedPage {
  url: string;
  /** Whether a helper signs in on its page. */
  hasLogin: boolean;
}

/** The tabs of a stream's browser, for one start of the stream. */
export class PageTabs {
  #started: StartedPage;
  #dresser: PageDresser;
  #rotation: Rotation;
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

  /** @param rotation opens pages that are to come in tabs of its own, which are left alone. */
  constructor(started: StartedPage, dresser: PageDresser, rotation: Rotation) {
    this.#started = started;
    this.#dresser = dresser;
    this.#rotation = rotation;
  }

  /** The connection to the page; null while there is none. */
  get page(): PageConnection | null {
    return this.#page;
  }

  /** When a look at the page is due because something has changed, in ms of the steady clock; Infinity: nothing has. */
  get lookAt(): number {
    return this.#page?.lookAt ?? Infinity;
  }

  /** Since when there is this connection to the page, in ms of the steady clock. */
  get connectedAt(): number {
    return this.#page?.madeAt ?? -Infinity;
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

  /** @param isSilent whether the page did not answer the last time. @throws {Error} when the browser does not answer. */
  async observe(stream: ObservedPage, isSilent: boolean): Promise<PageObservation> {
    const { machine } = this.#started.ground;
    if (this.#page) this.#page.lookAt = Infinity;
    if (!this.#page?.isOpen || machine.elapsed() >= this.#listAt || isSilent) await this.#list();
    const main = mainPage(this.#pages, this.#page?.id ?? null, stream.url);
    const page = main && await this.#connected(main).catch(() => null);
    page?.resume();
    const oomKills = await machine.oomKills();
    // Chromium knows only that its process was killed
    if (page?.wasKilled && oomKills > (this.#oomKills ?? oomKills)) page.crash = "out-of-memory";
    this.#oomKills ??= oomKills;
    const canAnswer = page && !page.crash && page.dialog === null;
    let look = canAnswer
      ? await withTimeout(this.#silentMs, lookAtPage(page.devtools, page.id)).catch(() => null)
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
      pages: this.#pages,
      mainId: main?.id ?? null,
      look,
      crash,
      dialog,
      loadingSince,
      isWatched,
      isDownload,
      certificate,
      certificateEndsAt,
      isLogin,
    };
  }

  /**
   * Carries out a decision. Afterwards the channel's tab is the only one, unless the action is a click in the page.
   * @param isReload whether nothing that the browser keeps of the page is wanted.
   * @throws {Error} when the browser does not answer.
   */
  async act({ do: what }: Action, url: string, isReload = false): Promise<void> {
    const { browser } = this.#started;
    // each action may open and close windows
    this.#listAt = 0;
    if (what === "dismiss") return this.#page?.answerDialog(false);
    if (what === "proceed" && this.#page) return await proceed(this.#page.devtools);
    const pages = await this.#windows();
    let main = mainPage(pages, this.#page?.id ?? null, url);
    if (what === "navigate" && main) {
      const isThere = await this.#navigate(url, main, isReload).then(() => true, () => false);
      if (!isThere) main = undefined;
    }
    if (what === "replace" || !main) {
      main = await browser.openTab();
      await this.#navigate(url, main, isReload);
    }
    if (pages.some(({ id }) => id !== main.id)) {
      for (const { id } of pages) {
        if (id !== main.id) await browser.closeTab(id).catch(() => {});
      }
      await browser.showTab(main.id);
    }
    await this.#connected(main);
  }

  /** @throws {Error} when the tab cannot be sent there: it hangs, or shows a page of Chromium's own. */
  async #navigate(url: string, main: Target, isReload: boolean): Promise<void> {
    const connection = await this.#connected(main);
    await this.#dressed(main);
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

  /** The windows and tabs of the stream's page, and of pages that it opened. */
  async #windows(): Promise<Target[]> {
    const pages = await this.#started.browser.pages();
    return pages.filter(({ id }) => !this.#rotation.isAhead(id));
  }

  /** Resolves when the tab's next pages will look as they are to, unless its page hangs. */
  async #dressed(tab: Target): Promise<void> {
    // the tab may be new, or older than this web app
    await happensWithin(this.#silentMs, this.#dresser.dress(tab));
  }

  /** The connection to the main page; a new connection for another page. @throws {Error} when there is none. */
  async #connected(main: Target): Promise<PageConnection> {
    if (this.#page?.id === main.id && this.#page.isOpen) return this.#page;
    this.#page?.close();
    this.#page = null;
    await this.#dressed(main);
    const devtools = await this.#started.browser.connect(main);
    if (this.#isClosed) {
      devtools[Symbol.dispose]();
      throw new Error("the stream was stopped");
    }
    return this.#page = new PageConnection(main.id, devtools, this.#started, this.#apps);
  }

  /** Milliseconds after which a page that does not answer hangs. */
  get #silentMs(): number {
    return this.#started.ground.config.TIMINGS.pageSilentMs;
  }

  async #list(): Promise<void> {
    const { machine, config } = this.#started.ground;
    this.#pages = await this.#windows();
    this.#listAt = machine.elapsed() + config.TIMINGS.pageCheckMs;
  }

  async #isLogin(
    { url, hasLogin: hasHelper }: ObservedPage,
    { devtools: page, id: frameId }: PageConnection,
    { href, isOpening, error }: PageLook,
  ): Promise<boolean> {
    if (isOpening || error !== "" || !href.startsWith("http")) return false;
    const { browser } = this.#started;
    const login = this.#login;
    if (login.href === href && login.left-- > 0 && !login.is) return false;
    Object.assign(login, { href, left: LOOKS_A_LOGIN });
    const asked = isLoginPage({ page, frameId, url, browser, hasHelper });
    // a page that moves on is checked again at the next look
    login.is = await withTimeout(this.#silentMs, asked).catch(() => {
      login.left = 0;
      return login.is;
    });
    return login.is;
  }
}
