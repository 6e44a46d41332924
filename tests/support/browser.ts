/** The viewer's browser, with what a person would complain about: errors in the console and layout jumps. */
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
} from "playwright-core";

/**
 * playwright's own list, since Chromium heeds the last one only, and the page of the address bar's suggestions: each new
 * window would load its 300 modules, which took half of these tests' time.
 */
const UNUSED_FEATURES = [
  "AimEnabled",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "SpareRendererForSitePerProcess",
  "ThirdPartyStoragePartitioning",
  "WebUIOmniboxAimPopup",
  "WebUIOmniboxPopup",
];

const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  `--disable-features=${UNUSED_FEATURES}`,
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

/** Pages of all tests in one process: a new one for each costs a fifth of the processor. */
const ONE_PROCESS = ["--process-per-site", "--renderer-process-limit=1"];

/** The engine of the same Chromium without windows, which takes 40 % less of the processor. */
export function launchShell(): Promise<Browser> {
  return chromium.launch({
    executablePath: "/usr/bin/chromium-headless-shell",
    args: [...ARGS, ...ONE_PROCESS],
  });
}

/** @param args of the command line, beside those all tests need. */
export function launchBrowser(...args: string[]): Promise<Browser> {
  return launchBrowserWith({ args });
}

/** The same, with other options of playwright's. */
export function launchBrowserWith({ args = [], ...options }: LaunchOptions): Promise<Browser> {
  return chromium.launch({ executablePath: "/usr/bin/chromium", args: [...ARGS, ...args], ...options });
}

export interface WatchedPage {
  page: Page;
  /** Errors so far, without the answers 400 that tests provoke. */
  errors: string[];
  /** The cumulative layout shift of the current document: https://web.dev/articles/cls */
  layoutShift(): Promise<number>;
}

interface LayoutShift extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
  sources: { node: Node | null }[];
}

interface Shift {
  value: number;
  /** What moved, as HTML or text. */
  moved: (string | null | undefined)[];
}

/** A page of a viewer of its own: a new context. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  return await watchPage(await browser.newContext({ viewport: SIZES.desktop, ...options }));
}

/** A new page of a viewer. */
export async function watchPage(context: BrowserContext): Promise<WatchedPage> {
  const page = await context.newPage();
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() !== "error" || message.text().includes("400 (Bad Request)")) return;
    errors.push(`${message.text()} (${message.location().url})`);
  });
  await page.addInitScript(() => {
    const shifts: Shift[] = [];
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as LayoutShift[]) {
        if (hadRecentInput) continue;
        shifts.push({
          value,
          moved: sources.map(({ node }) => (node as Element)?.outerHTML ?? node?.textContent),
        });
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  const layoutShift = async () => {
    const shifts = await page.evaluate(() => (globalThis as unknown as { shifts: Shift[] }).shifts);
    for (const { moved } of shifts) {
      console.log(`moved: ${moved.map((html) => html?.slice(0, 200)).join("\n  ")}`);
    }
    return shifts.reduce((sum, { value }) => sum + value, 0);
  };
  return { page, errors, layoutShift };
}
