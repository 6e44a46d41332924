/** Keeps a stream's tabs dressed as its settings want it: by one session each, which lasts as long as the tab. */
import type { ProxyLogin } from "../../auth/proxy_login.ts";
import type { BrowserControl, DevTools, Target } from "../../devtools/client.ts";
import { HttpLogin, type PageLogin } from "../../devtools/http_login.ts";
import { dress, isDressed, type PageSettings } from "../../devtools/page_dress.ts";

type Settings = PageSettings & Pick<PageLogin, "user" | "pass">;

export interface PageDresserParts {
  browser: BrowserControl;
  /** What the stream's browser was started with; undefined when it does not run. */
  settings(): Settings | undefined;
  /** What the proxies are told that ask; null: nothing. */
  proxyLogin: ProxyLogin | null;
  /** How many people are in the stream's browser by VNC: they can answer a dialog of its own. */
  viewers(): number;
  elapsed(): number;
  /** Takes what the stream's own style and script have to say. */
  warn(text: string): void;
}

interface Dressed {
  settings: Settings;
  page: Promise<DevTools>;
}

export class PageDresser {
  #parts: PageDresserParts;
  /** By the tab. There are two while the next page is opened. */
  #dressed = new Map<string, Dressed>();

  constructor(parts: PageDresserParts) {
    this.#parts = parts;
  }

  async close(): Promise<void> {
    const all = [...this.#dressed.values()];
    this.#dressed.clear();
    await Promise.all(all.map(({ page }) => close(page)));
  }

  /** Resolves when what is opened in the tab from now on looks as it is to. @throws {Error} when there is no such tab. */
  async dress(tab: Pick<Target, "id">): Promise<void> {
    const settings = this.#parts.settings();
    const known = this.#dressed.get(tab.id);
    if (!settings || !(isDressed(settings) || this.#answersProxies(settings))) {
      this.#dressed.delete(tab.id);
      return await close(known?.page);
    }
    const isDone = known?.settings === settings;
    if (isDone && await known.page.then(({ isOpen }) => isOpen, () => false)) return;
    if (this.#dressed.get(tab.id) !== known) return await this.dress(tab);
    const dressed = { settings, page: this.#open(tab, settings) };
    this.#dressed.set(tab.id, dressed);
    await close(known?.page);
    const page = await dressed.page;
    void page.ended.then(() => {
      if (this.#dressed.get(tab.id) === dressed) this.#dressed.delete(tab.id);
    });
  }

  /** A stream with a login has its sign-in, which answers proxies as well. */
  #answersProxies({ user, pass }: Settings): boolean {
    return !!this.#parts.proxyLogin && user === "" && pass === "";
  }

  async #open(tab: Pick<Target, "id">, settings: Settings): Promise<DevTools> {
    const { browser, warn, proxyLogin, viewers, elapsed } = this.#parts;
    const page = await browser.connect(tab);
    const isTakenOver = () => Promise.resolve(viewers() > 0);
    const auth = this.#answersProxies(settings)
      ? new HttpLogin({ ...settings, proxyLogin }, { elapsed, isTakenOver })
      : null;
    try {
      await dress(page, settings, warn, auth);
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
