/**
 * One viewer's context for many tests: a new one costs Chromium three processes and 0.6 s of a core. A test's own port is
 * an origin of its own, so that no stored data is shared; what else a test changes of its context makes it the last one
 * to have it.
 */
import type { Browser, BrowserContext, Page } from "playwright-core";
import { SIZES, type WatchedPage, watchPage } from "./browser.ts";

/** What changes a context for good. */
const CHANGES = ["addInitScript", "exposeFunction", "grantPermissions", "route", "setOffline"] as const;

export class SharedContext {
  #browser: Browser;
  #current: { context: BrowserContext; placeholder: Page; isChanged: boolean } | null = null;

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** A new page in the context. */
  async open(): Promise<WatchedPage> {
    this.#current ??= await this.#make();
    return await watchPage(this.#current.context);
  }

  /** Closes the pages of a test. */
  async clear(): Promise<void> {
    const { context, placeholder, isChanged } = this.#current!;
    if (isChanged) {
      this.#current = null;
      return await context.close();
    }
    // playwright's timer of 0.5 s, by which it sees that the new window is idle, would end in another test
    await placeholder.waitForLoadState("networkidle");
    for (const page of context.pages()) if (page !== placeholder) await page.close();
  }

  async #make() {
    // what moves is painted 60 times a second; accessibility_test.ts looks at what moves, in contexts of its own
    const context = await this.#browser.newContext({ viewport: SIZES.desktop, reducedMotion: "reduce" });
    // the window whose processes stay while pages come and go
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
