/**
 * Sends a page to its address. Chromium checks the machines that a page leads to, by the address that a name resolved
 * to and over redirects, only for a page's own requests: Chromium treats an address from DevTools or the command line as
 * typed by a person. So an empty page is put at the stream's own origin first, without a byte from the network, and that page
 * goes to the address.
 */
import { happensWithin } from "../machine/tools/time.ts";
import type { DevTools } from "./client.ts";
import { fromServer, passingWorkers, withoutCache } from "./from_server.ts";

/** The blank page's attribute data-opening, which tells the blank page from an empty page of a server. */
export const OPENING_MARK = "browser-stream";

/** The blank page requests nothing, and sends no referrer. */
const BLANK = {
  responseCode: 200,
  responseHeaders: [
    { name: "content-type", value: "text/html" },
    { name: "cache-control", value: "no-store" },
    { name: "referrer-policy", value: "no-referrer" },
  ],
  body: btoa(`<!doctype html><html data-opening="${OPENING_MARK}"><link rel="icon" href="data:,">`),
};

/** The blank page's path: at the address's own path, an address with a fragment would stay in the blank page. */
function blankPath(url: string): string {
  const PATH = "/opening";
  return new URL(url).pathname === PATH ? "/" : PATH;
}

/** The longest wait for a page's first answer, in ms; the page goes on loading. */
const COMMIT_MS = 5000;

/** For so long the parts of a page that is reloaded come from its server, in ms. */
const PARTS_MS = 30_000;

export interface OpenOptions {
  /** The work before the request for the address. */
  prepare?: () => Promise<void>;
  /** Whether another tab stays in front. */
  isBehind?: boolean;
  /** Whether the document comes from its server, not from the cache: Chromium keeps a 410 and a 301 for good. */
  isFresh?: boolean;
  /** Whether all of the page comes from its server (from_server.ts). */
  isReload?: boolean;
}

/**
 * Opens a web address in a page.
 * @throws {Error} when the browser does not open the address, or the address has no origin.
 */
export async function openPage(
  page: DevTools,
  url: string,
  { prepare, isBehind = false, isFresh = false, isReload = false }: OpenOptions = {},
): Promise<void> {
  const { origin, href: home } = new URL(blankPath(url), url);
  let isSent = false;
  const shown = Promise.withResolvers<void>();
  const unlisten = page.listen((method, { requestId, request, frame }) => {
    if (method === "Page.frameNavigated") {
      if (isSent && !(frame as { parentId?: string }).parentId) shown.resolve();
    } else if (method === "Page.downloadWillBegin") {
      if (isSent) shown.resolve(); // no page comes
    } else if (method === "Fetch.requestPaused" && !isSent) {
      const isHome = (request as { url: string }).url === home;
      const answer = isHome
        ? page.send("Fetch.fulfillRequest", { requestId, ...BLANK })
        : page.send("Fetch.continueRequest", { requestId });
      answer.catch(() => {});
    }
  });
  try {
    await page.send("Page.enable");
    // a service worker of the site would ask the server for the empty page
    await passingWorkers(page, async () => {
      await page.send("Fetch.enable", { patterns: [{ urlPattern: "*", resourceType: "Document" }] });
      try {
        await page.send("Page.navigate", { url: home });
      } finally {
        await page.send("Fetch.disable");
      }
    });
    if (await page.evaluate("location.origin") !== origin) {
      throw new Error("the browser did not open the page's origin");
    }
    isSent = true;
    await prepare?.();
    const go = async () => {
      await page.evaluate(`location.replace(${JSON.stringify(url)})`);
      await happensWithin(COMMIT_MS, shown.promise);
    };
    if (isReload) await reload(page, go);
    else if (isFresh) await withoutCache(page, go);
    else await go();
    // a browser that starts blank has the focus in its address bar, where a person's keys would go; after a sooner
    // call the address bar would get the focus back
    if (!isBehind) await page.send("Page.bringToFront");
  } finally {
    unlisten();
  }
}

/** Resolves with `go`; the page's parts come from its server until it has loaded. @throws {Error} of `go`. */
async function reload(page: DevTools, go: () => Promise<void>): Promise<void> {
  const gone = Promise.withResolvers<void>();
  fromServer(page, async () => {
    await go();
    const loaded = Promise.withResolvers<void>();
    const unlisten = page.listen((method) => method === "Page.loadEventFired" && loaded.resolve());
    gone.resolve();
    await happensWithin(PARTS_MS, Promise.race([loaded.promise, page.ended])).finally(unlisten);
  }).catch(gone.reject);
  await gone.promise;
}
