/** The viewer's browser, with what a person would complain about: errors in the console and layout jumps. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

export const SIZES = {
  phone: { width: 390, height: 844 },
  desktop: { width: 1440, height: 900 },
  tv: { width: 1920, height: 1080 },
} as const;

/** @param args of the command line, beside those all tests need. */
export function launchBrowser(...args: string[]): Promise<Browser> {
  return chromium.launch({ executablePath: "/usr/bin/chromium", args: [...ARGS, ...args] });
}

export interface WatchedPage {
  page: Page;
  /** Errors so far, without the answers 400 that tests provoke. */
  errors: string[];
  /** The cumulative layout shift of the current document: https://web.dev/articles/cls */
  layoutShift(): Promise<number>;
}

export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: SIZES.desktop, ...options });
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() !== "error" || message.text().includes("400 (Bad Request)")) return;
    errors.push(`${message.text()} (${message.location().url})`);
  });
  await page.addInitScript(() => {
    const shifts = { sum: 0 };
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (
        const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]
      ) {
        if (!entry.hadRecentInput) shifts.sum += entry.value;
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  const layoutShift = () =>
    page.evaluate(() => (globalThis as unknown as { shifts: { sum: number } }).shifts.sum);
  return { page, errors, layoutShift };
}
