/** When a page that was sent somewhere has loaded, and its picture is on the display. */
import { happensWithin } from "../system/time.ts";
import type { BrowserControl, DevTools } from "./client.ts";
import { documentOf, isolatedWorld } from "./document.ts";

/** Milliseconds for a page to load at most, and then for what it fetches before it is of use. */
const LOAD_MS = 15_000;
const SETTLE_MS = 4000;

/** Milliseconds for three frames; the slowest display has one a second. */
const FRAMES_MS = 3500;

/** In the page's isolated world: after three frames, the first is on the display. */
const THREE_FRAMES = `new Promise((done) => {
  let left = 3;
  const next = () => --left < 0 ? done(true) : requestAnimationFrame(next);
  next();
})`;

/** In the page's isolated world: the main document's status, 0 where there is none. */
const STATUS = `performance.getEntriesByType("navigation")[0]?.responseStatus ?? 0`;

export interface Loaded {
  /** The browser shows an error page of its own, or the server answered an error. */
  isError: boolean;
}

/**
 * Lets `send` lead the page to a new document, and resolves when that has loaded, has what it fetched at first, and has
 * been painted; or when that takes too long, as for a page that never ends loading.
 * @throws {Error} when the browser does not answer, or the signal aborts.
 */
export async function untilPainted(
  page: DevTools,
  send: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<Loaded> {
  const { loaderId: before } = await documentOf(page);
  const loaded = Promise.withResolvers<void>();
  const settled = Promise.withResolvers<void>();
  let isError = false;
  const unlisten = page.listen((method, params) => {
    if (method === "Page.frameNavigated") {
      const frame = params.frame as { parentId?: string; unreachableUrl?: string };
      if (!frame.parentId) isError = frame.unreachableUrl !== undefined;
    }
    if (method !== "Page.lifecycleEvent" || params.loaderId === before) return;
    if (params.name === "load") loaded.resolve();
    if (params.name === "networkAlmostIdle") settled.resolve();
  });
  const stopped = Promise.withResolvers<void>();
  const stop = () => stopped.resolve();
  signal.addEventListener("abort", stop);
  try {
    await page.send("Page.enable");
    await page.send("Page.setLifecycleEventsEnabled", { enabled: true });
    await send();
    const isLoaded = await happensWithin(LOAD_MS, Promise.race([loaded.promise, stopped.promise]));
    if (signal.aborted) throw new Error("stopped");
    if (isError || !isLoaded) return { isError };
    await happensWithin(SETTLE_MS, Promise.race([settled.promise, stopped.promise]));
    const world = await isolatedWorld(page, await documentOf(page));
    const status = await page.evaluate<number>(STATUS, world);
    await happensWithin(FRAMES_MS, Promise.race([threeFrames(page, world), stopped.promise]));
    if (signal.aborted) throw new Error("stopped");
    return { isError: status >= 400 };
  } finally {
    signal.removeEventListener("abort", stop);
    unlisten();
  }
}

/** Resolves when three frames were painted. @param world an isolated world of the page. */
async function threeFrames(page: DevTools, world: string): Promise<void> {
  const expression = { expression: THREE_FRAMES, uniqueContextId: world };
  await page.send("Runtime.evaluate", { ...expression, awaitPromise: true, returnByValue: true });
}

/** Resolves when what a browser's page shows is on the display, or that takes too long. */
export async function untilShown(browser: BrowserControl, profile: string): Promise<void> {
  const frames = async () => {
    const [target] = await browser.pages(profile);
    await using page = await browser.connect(profile, target);
    await threeFrames(page, await isolatedWorld(page, await documentOf(page)));
  };
  await happensWithin(FRAMES_MS, frames());
}
