/**
 * Keeps a stream's tabs as they are to be, by one session for each tab's life: dressed as the stream's settings want it,
 * with media shown as a screen should, and without other programs.
 */
import type { ProxyLogin } from "../../auth/proxy_login.ts";
import type { BrowserControl, DevTools, Target } from "../../devtools/client.ts";
import { HttpLogin, type PageLogin } from "../../signin/http.ts";
import { showMedia } from "../../devtools/media_page.ts";
import { stayInBrowser } from "../../devtools/other_apps.ts";
import { dress, isDressed, type PageSettings } from "../../devtools/page_dress.ts";

type Settings = PageSettings & Pick<PageLogin, "user" | "pass">;

export interface PageDresserParts {
  browser: BrowserControl;
  /** The settings that the stream's browser was started with; undefined: it does not run. */
  settings(): Settings | undefined;
  /** How long each page of a PDF is shown. */
  pageSeconds(): number;
  /** The login for proxies that ask; null: there is none. */
  proxyLogin: ProxyLogin | null;
  /** How many people are in the stream's browser by VNC: people can answer the browser's dialogs. */
  viewers(): number;
  elapsed(): number;
  /** Takes messages of the stream's own style and script. */
  warn(text: string): void;
}

/** Tabs that are kept dressed: there are two while the next page is opened. A browser may name any number of tabs. */
const MOST_TABS = 8;

interface Dressed {
  settings: Settings;
  pageSeconds: number;
  page: Promise<DevTools>;
}

export class PageDresser {
  #parts: PageDresserParts;
  /** By the tab's id, the tab that was dressed first before the others. */
  #dressed = new Map<string, Dressed>();

  constructor(parts: PageDresserParts) {
    this.#parts = parts;
  }

  async close(): Promise<void> {
    const all = [...this.#dressed.values()];
    this.#dressed.clear();
    await Promise.all(all.map(({ page }) => close(page)));
  }

  /** Resolves when the tab's next pages will look as they are to. @throws {Error} when there is no such tab. */
  async dress(tab: Pick<Target, "id">): Promise<void> {
    const settings = this.#parts.settings();
    const pageSeconds = this.#parts.pageSeconds();
    const known = this.#dressed.get(tab.id);
    if (!settings) {
      this.#dressed.delete(tab.id);
      return await close(known?.page);
    }
    const isDone = known?.settings === settings && known.pageSeconds === pageSeconds;
    if (isDone && await known.page.then(({ isOpen }) => isOpen, () => false)) return;
    if (this.#dressed.get(tab.id) !== known) return await this.dress(tab);
    const dressed = { settings, pageSeconds, page: this.#open(tab, settings, pageSeconds) };
    this.#dressed.set(tab.id, dressed);
    await close(known?.page);
    if (this.#dressed.size > MOST_TABS) this.#undressFirst();
    const page = await dressed.page;
    void page.ended.then(() => {
      if (this.#dressed.get(tab.id) === dressed) this.#dressed.delete(tab.id);
    });
  }

  #undressFirst(): void {
    const [[id, { page }]] = this.#dressed;
    this.#dressed.delete(id);
    void close(page);
  }

  /** The sign-in of a stream with a login answers proxies as well. */
  #answersProxies({ user, pass }: Settings): boolean {
    return !!this.#parts.proxyLogin && user === "" && pass === "";
  }

  async #open(tab: Pick<Target, "id">, settings: Settings, pageSeconds: number): Promise<DevTools> {
    const { browser, warn, proxyLogin, viewers, elapsed } = this.#parts;
    const page = await browser.connect(tab);
    const isTakenOver = () => Promise.resolve(viewers() > 0);
    const auth = this.#answersProxies(settings)
      ? new HttpLogin({ ...settings, proxyLogin }, { elapsed, isTakenOver })
      : null;
    try {
      await page.send("Page.enable");
      await stayInBrowser(page);
      await showMedia(page, pageSeconds);
      if (isDressed(settings) || auth) await dress(page, settings, warn, auth);
      return page;
    } catch (error) {
      page[Symbol.dispose]();
      throw error;
    }
  }
}

async function close(page: Promise<DevTools> | undefined): Promise<void> {
  await page?.then((open) => open[Symbol.asyncDispose](), () => {});
}
