/**
 * Keeps a stream's tabs as they are to be, by one session for each tab's life: dressed as the stream's settings want it,
 * with media shown as a screen should, and without other programs.
 */
import type { DevTools, Target } from "../../browser/client.ts";
import { HttpLogin } from "../../signin/http.ts";
import { showMedia } from "./looks/media_page.ts";
import { stayInBrowser } from "./looks/other_apps.ts";
import { dress, isDressed } from "./looks/page_dress.ts";
import type { Stream } from "../../model/schema.ts";
import type { StartedPage } from "./started_page.ts";

/** Tabs that are kept dressed: there are two while the next page is opened. A browser may name any number of tabs. */
const MOST_TABS = 8;

interface Dressed {
  settings: Stream;
  pageSeconds: number;
  page: Promise<DevTools>;
}

export class PageDresser {
  #started: StartedPage;
  /** By the tab's id, the tab that was dressed first before the others. */
  #dressed = new Map<string, Dressed>();

  constructor(started: StartedPage) {
    this.#started = started;
  }

  async close(): Promise<void> {
    const all = [...this.#dressed.values()];
    this.#dressed.clear();
    await Promise.all(all.map(({ page }) => close(page)));
  }

  /** Resolves when the tab's next pages will look as they are to. @throws {Error} when there is no such tab. */
  async dress(tab: Pick<Target, "id">): Promise<void> {
    const { live } = this.#started;
    // the settings that the browser was started with, but newer seconds count
    const settings = live.spec?.stream;
    const pageSeconds = live.stream?.pageSeconds ?? 0;
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
  #answersProxies({ user, pass }: Stream): boolean {
    return !!this.#started.ground.around.proxyLogin && user === "" && pass === "";
  }

  async #open(tab: Pick<Target, "id">, settings: Stream, pageSeconds: number): Promise<DevTools> {
    const { live, browser, ground: { around: { proxyLogin }, machine: { elapsed } } } = this.#started;
    const page = await browser.connect(tab);
    // a person can answer the browser's dialog
    const isTakenOver = () => Promise.resolve(live.viewers > 0);
    const warn = (text: string) => live.tell("page", text, "warn");
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
