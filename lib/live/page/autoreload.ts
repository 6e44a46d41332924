/** The auto-reload helper: reloads a stream's page at an interval, for months; viewers see only the new page. */
import { errorText } from "../../machine/tools/log.ts";
import { sleep } from "../../machine/tools/time.ts";
import type { Cover } from "../../display/x11/cover.ts";
import type { BrowserControl, DevTools } from "../../browser/client.ts";
import { documentOf, isolatedWorld } from "../../browser/document.ts";
import { fromServer } from "../../browser/from_server.ts";
import { ENDLESS_TYPE } from "./looks/media_page.ts";
import { OPENING_MARK } from "../../browser/open_page.ts";
import { LOAD_MS, untilPainted } from "./looks/painted.ts";

/**
 * Milliseconds for which a page that came back broken stays covered: by then the web app has seen the page, and shows
 * the stream's choice for a broken page (lib/live/page/cover.ts).
 */
const BROKEN_MS = 30_000;

/** Milliseconds for which an unreachable browser is tried, as the web app may be restarting; and between tries. */
const REACH_MS = 20_000;
const RETRY_MS = 500;

/** Milliseconds between two looks whether a person has come into the browser. */
const LOOK_MS = 1000;

export interface Reloads {
  browser: BrowserControl;
  minutes: number;
  /** Opens a cover over the stream's display. */
  openCover(): Promise<Cover>;
  /** Whether a person is in the browser by VNC, and wants to see the reload. */
  isTakenOver(): Promise<boolean>;
  /** Whether viewers are to see a broken page as it is. */
  showsBroken: boolean;
  /** Error statuses that the stream's settings accept. */
  acceptedStatuses: readonly number[];
}

/** In the page's isolated world: whether the page is still to come, or waits for a part that has not begun to come. */
function isOnItsWay(mark: string, endlessType: string, loadMs: number): boolean {
  const { documentElement, readyState, contentType, images } = document;
  if (documentElement?.getAttribute("data-opening") === mark) return true;
  if (readyState === "complete" || contentType === endlessType || performance.now() > loadMs) return false;
  // a camera's picture has begun, and never ends
  return ![...images].some(({ complete, naturalWidth }) => !complete && naturalWidth > 0);
}

/**
 * Reloads the page once, under a cover with the last picture; one that is still on its way is left alone.
 * @throws {Error} when the browser does not answer.
 */
export async function reloadPage(
  { browser, openCover, isTakenOver, showsBroken, acceptedStatuses }: Reloads,
  signal: AbortSignal,
): Promise<void> {
  await using page = await reached(browser, signal);
  const world = await isolatedWorld(page, await documentOf(page));
  const given = `${JSON.stringify(OPENING_MARK)}, ${JSON.stringify(ENDLESS_TYPE)}, ${LOAD_MS}`;
  if (await page.evaluate(`(${isOnItsWay})(${given})`, { world }) === true) {
    return console.log("page not reloaded: it is still loading");
  }
  // a display that cannot be covered is no reason to let the page grow old
  using cover = await isTakenOver() ? null : await openCover().catch((error) => {
    console.error(`reloaded in view: ${errorText(error)}`);
    return null;
  });
  if (cover) await cover.show(await cover.keep());
  // the page itself reloads: Chromium would not check the redirects of its own reload (open_page.ts)
  const reload = () => page.evaluate("location.reload()");
  const over = new AbortController();
  // a person who comes sees the page, however long it takes
  const uncovered = cover && uncoverFor(isTakenOver, cover, over.signal).catch(() => {});
  const { isError } = await fromServer(page, () => untilPainted(page, reload, signal, acceptedStatuses))
    .finally(() => over.abort());
  await uncovered;
  if (!isError) return console.log("page reloaded");
  console.error("page reloaded, and it came back with an error");
  if (!cover || showsBroken) return;
  const until = performance.now() + BROKEN_MS;
  while (performance.now() < until && !signal.aborted && !await isTakenOver()) await sleep(LOOK_MS, signal);
}

/** Takes the cover away when a person comes before the signal aborts. */
async function uncoverFor(
  isTakenOver: () => Promise<boolean>,
  cover: Cover,
  signal: AbortSignal,
): Promise<void> {
  do await sleep(LOOK_MS, signal); while (!signal.aborted && !await isTakenOver());
  if (!signal.aborted) cover[Symbol.dispose]();
}

/** @throws {Error} when the browser cannot be reached for too long, or the signal aborts. */
async function reached(browser: BrowserControl, signal: AbortSignal): Promise<DevTools> {
  for (const deadline = performance.now() + REACH_MS;; await sleep(RETRY_MS, signal)) {
    try {
      return await browser.connectFirst();
    } catch (error) {
      if (signal.aborted || performance.now() > deadline) throw error;
    }
  }
}

/** Reloads every `minutes` until `signal` aborts; a browser that is away now is tried at the next interval. */
export async function autoReload(reloads: Reloads, signal: AbortSignal): Promise<void> {
  const everyMs = reloads.minutes * 60_000;
  for (let next = performance.now() + everyMs;; next += everyMs) {
    // the intervals that pass during a long reload are skipped
    if (next < performance.now()) next = performance.now() + everyMs;
    await sleep(next - performance.now(), signal);
    if (signal.aborted) return;
    await reloadPage(reloads, signal).catch((error) => {
      if (!signal.aborted) console.error(`page not reloaded: ${errorText(error)}`);
    });
  }
}
