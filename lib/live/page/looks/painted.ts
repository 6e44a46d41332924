/** Waits until a page that was sent to an address has loaded, and its picture is on the display. */
import { happensWithin, sleep } from "../../../machine/tools/time.ts";
import type { BrowserControl, DevTools } from "../../../browser/client.ts";
import { documentOf, isolatedWorld } from "../../../browser/document.ts";
import { ENDLESS_TYPE } from "./media_page.ts";

/**
 * Most milliseconds for a page to load, as in a desktop browser, and then for its first requests before the page is of
 * use.
 */
export const LOAD_MS = 300_000;
const SETTLE_MS = 4000;

/**
 * Milliseconds after which a painted document is taken for loaded: a part such as a camera's pictures in a frame may never
 * end loading.
 */
export const ENDLESS_MS = 5000;

/** Likewise for a painted document whose own text may never end, such as a log that the server goes on sending. */
const UNPARSED_MS = 15_000;

/** Milliseconds for the frames of PAINTED; the slowest display has one frame a second. */
const FRAMES_MS = 5000;

/**
 * In the page's isolated world: resolves when the page's first picture was on the display, which the browser notes, and
 * three more frames were painted. A page without anything to see has no such note.
 */
const PAINTED = `new Promise((done) => {
  const deadline = performance.now() + 1500;
  let left = 3;
  const next = () => {
    const isSeen = performance.getEntriesByType("paint").length > 0 || performance.now() > deadline;
    if (isSeen && --left < 0) done(true);
    else requestAnimationFrame(next);
  };
  next();
})`;

/** Milliseconds from a frame of the page to the display, on a busy machine. */
const DISPLAY_MS = 300;

/** In the page's isolated world: the main document's status, 0 where there is none. */
const STATUS = `performance.getEntriesByType("navigation")[0]?.responseStatus ?? 0`;

export interface Loaded {
  /** The browser shows an error page of its own, or the server answered an error that is not accepted. */
  isError: boolean;
}

/**
 * Lets `send` lead the page to a new document, and resolves when the document has loaded, has the answers to its first
 * requests, and has been painted; when this takes too long, as for a page that never ends loading; or when no document
 * comes, as for a download.
 * @param acceptedStatuses error statuses that the stream's settings accept.
 * @throws {Error} when the browser does not answer, or the signal aborts.
 */
export async function untilPainted(
  page: DevTools,
  send: () => Promise<unknown>,
  signal: AbortSignal,
  acceptedStatuses: readonly number[],
): Promise<Loaded> {
  const { loaderId: before, frameId } = await documentOf(page);
  const [parsed, painted, loaded, settled] = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const over = new AbortController();
  const isAll = () => {
    loaded.resolve();
    settled.resolve();
  };
  void Promise.all([parsed.promise.then(() => sleep(ENDLESS_MS, over.signal)), painted.promise]).then(isAll);
  void painted.promise.then(() => sleep(UNPARSED_MS, over.signal)).then(isAll);
  let isError = false;
  let isUnderWay = false;
  const unlisten = page.listen((method, params) => {
    if (method === "Page.frameNavigated") {
      const frame = params.frame as { parentId?: string; unreachableUrl?: string; mimeType?: string };
      if (frame.parentId) return;
      isError = frame.unreachableUrl !== undefined;
      if (frame.mimeType === ENDLESS_TYPE) isAll();
      isUnderWay = false;
    }
    if (method === "Page.frameStartedNavigating" && params.frameId === frameId) isUnderWay = true;
    if (method === "Page.frameStoppedLoading" && params.frameId === frameId && isUnderWay) isAll();
    if (method !== "Page.lifecycleEvent" || params.frameId !== frameId || params.loaderId === before) return;
    if (params.name === "DOMContentLoaded") parsed.resolve();
    if (params.name === "firstPaint") painted.resolve();
    if (params.name === "load") loaded.resolve();
    // not "networkAlmostIdle": the last answers may be all that the page shows
    if (params.name === "networkIdle") settled.resolve();
  });
  const stopped = Promise.withResolvers<void>();
  const stop = () => stopped.resolve();
  signal.addEventListener("abort", stop);
  try {
    await page.send("Page.enable");
    await page.send("Page.setLifecycleEventsEnabled", { enabled: true });
    await send();
    const isLoaded = await happensWithin(
      LOAD_MS,
      Promise.race([loaded.promise, stopped.promise, page.ended]),
    );
    if (signal.aborted) throw new Error("stopped");
    if (isError || !isLoaded) return { isError };
    await happensWithin(SETTLE_MS, Promise.race([settled.promise, stopped.promise]));
    const world = await isolatedWorld(page, await documentOf(page));
    const status = await page.evaluate<number>(STATUS, { world });
    await happensWithin(FRAMES_MS, Promise.race([untilSeen(page, world), stopped.promise]));
    if (signal.aborted) throw new Error("stopped");
    return { isError: status >= 400 && !acceptedStatuses.includes(status) };
  } finally {
    over.abort();
    signal.removeEventListener("abort", stop);
    unlisten();
  }
}

/** Resolves when the page is painted. @param world an isolated world of the page. */
async function untilSeen(page: DevTools, world: string): Promise<void> {
  await page.evaluate(PAINTED, { world, awaitPromise: true });
  await sleep(DISPLAY_MS);
}

/** Resolves when the picture of a browser's page is on the display, or the wait takes too long. */
export async function untilShown(browser: BrowserControl): Promise<void> {
  const seen = async () => {
    await using page = await browser.connectFirst();
    await untilSeen(page, await isolatedWorld(page, await documentOf(page)));
  };
  await happensWithin(FRAMES_MS, seen());
}
