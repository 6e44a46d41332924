/**
 * Sends a page to its address. Chromium checks which machines a page may lead to, by the address that a name resolved
 * to and over redirects, only where a page asks: what comes by DevTools, or from the command line, counts as typed by a
 * person. So an empty page is put at the stream's own origin first, without a byte from the network, and goes there.
 */
import { happensWithin } from "../system/time.ts";
import type { DevTools } from "./client.ts";

/** What the blank page has in its attribute data-opening, so that it is told from a page that is empty. */
export const OPENING_MARK = "browser-stream";

/** The blank page asks for nothing, and says to nobody where it was. */
const BLANK = {
  responseCode: 200,
  responseHeaders: [
    { name: "content-type", value: "text/html" },
    { name: "cache-control", value: "no-store" },
    { name: "referrer-policy", value: "no-referrer" },
  ],
  body: btoa(`<!doctype html><html data-opening="${OPENING_MARK}"><link rel="icon" href="data:,">`),
};

/** How long a page's first answer is waited for, in ms; the page goes on loading. */
const COMMIT_MS = 5000;

export interface OpenOptions {
  /** What has to be done before the address is asked for. */
  prepare?: () => Promise<void>;
  /** Whether another tab stays in front. */
  isBehind?: boolean;
}

/**
 * Opens a web address in a page.
 * @throws {Error} when the browser does not, or the address has no origin.
 */
export async function openPage(
  page: DevTools,
  url: string,
  { prepare, isBehind = false }: OpenOptions = {},
): Promise<void> {
  const { origin, href: home } = new URL("/", url);
  let isSent = false;
  const shown = Promise.withResolvers<void>();
  const unlisten = page.listen((method, { requestId, request, frame }) => {
    if (method === "Page.frameNavigated") {
      if (isSent && !(frame as { parentId?: string }).parentId) shown.resolve();
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
    await page.send("Fetch.enable", { patterns: [{ urlPattern: "*", resourceType: "Document" }] });
    try {
      await page.send("Page.navigate", { url: home });
    } finally {
      await page.send("Fetch.disable");
    }
    if (await page.evaluate("location.origin") !== origin) {
      throw new Error("the browser did not open the page's origin");
    }
    isSent = true;
    await prepare?.();
    await page.evaluate(`location.replace(${JSON.stringify(url)})`);
    await happensWithin(COMMIT_MS, shown.promise);
    // a browser that starts blank has the focus in its address bar, where a person's keys would go; sooner, the
    // address bar would get it back
    if (!isBehind) await page.send("Page.bringToFront");
  } finally {
    unlisten();
  }
}
