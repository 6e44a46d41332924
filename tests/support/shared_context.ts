/**
 * Viewers' contexts for many tests: a new one costs Chromium three processes and 0.6 s of a core. A test's own port is an
 * origin of its own, so that no stored data is shared; what else a test changes of its context makes it the last one to
 * have it.
 */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { SIZES, type WatchedPage, watchPage } from "./browser.ts";

/** What changes a context for good. */
const CHANGES = ["addInitScript", "exposeFunction", "grantPermissions", "route", "setOffline"] as const;

interface Shared {
  context: BrowserContext;
  /** The window whose processes stay while pages come and go. */
  placeholder: Page;
  isChanged: boolean;
}

export class SharedContexts {
  #browser: Browser;
  /** By the options that a page cannot have for itself, as JSON. */
  #byOptions = new Map<string, Shared>();

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** A new page in a context of these options, with those of a desktop where they say nothing. */
  async open(
    { viewport, colorScheme, reducedMotion, ...others }: BrowserContextOptions,
  ): Promise<WatchedPage> {
    const key = JSON.stringify(others);
    let shared = this.#byOptions.get(key);
    if (!shared) this.#byOptions.set(key, shared = await this.#make(others));
    const opened = await watchPage(shared.context);
    if (viewport) await opened.page.setViewportSize(viewport);
    if (colorScheme || reducedMotion) await opened.page.emulateMedia({ colorScheme, reducedMotion });
    return opened;
  }

  /** A context's pages, as far as they are a test's. */
  tabs(context: BrowserContext): Page[] {
    const placeholders = new Set([...this.#byOptions.values()].map(({ placeholder }) => placeholder));
    return context.pages().filter((page) => !placeholders.has(page));
  }

  /** Closes the pages of a test. */
  async clear(): Promise<void> {
    for (const [key, { context, placeholder, isChanged }] of this.#byOptions) {
      if (isChanged) {
        this.#byOptions.delete(key);
        await context.close();
        continue;
      }
      const pages = this.tabs(context);
      if (pages.length === 0) continue;
      // playwright's timer of 0.5 s, by which it sees that the new window is idle, would end in another test
      await placeholder.waitForLoadState("networkidle");
      for (const page of pages) await page.close();
      await context.clearCookies();
    }
  }

  async #make(options: BrowserContextOptions): Promise<Shared> {
    const context = await this.#browser.newContext({ viewport: SIZES.desktop, ...options });
    const made = { context, placeholder: await context.newPage(), isChanged: false };
    for (const name of CHANGES) noteCall(context, name, () => made.isChanged = true);
    noteCall(context.clock, "install", () => made.isChanged = true);
    return made;
  }
}

/** Calls `note` before each call of a method. */
function noteCall<Name extends string>(
  object: { [K in Name]: (...args: never[]) => unknown },
  name: Name,
  note: () => void,
): void {
  const method = object[name].bind(object) as (...args: unknown[]) => unknown;
  Object.assign(object, {
    [name]: (...args: unknown[]) => {
      note();
      return method(...args);
    },
  });
}
