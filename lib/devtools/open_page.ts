/**
 * Sends a page to its address. Chromium checks which machines a page may lead to, by the address that a name resolved
 * to and over redirects, only where a page asks: what comes by DevTools, or from the command line, counts as typed by a
 * person. So an empty page is put at the stream's own origin first, without a byte from the network, and goes there.
 */
import { sleep } from "../system/time.ts";
import { DevTools } from "./client.ts";

/** The blank page asks for nothing, and says to nobody where it was. */
const BLANK = {
  responseCode: 200,
  responseHeaders: [
    { name: "content-type", value: "text/html" },
    { name: "cache-control", value: "no-store" },
    { name: "referrer-policy", value: "no-referrer" },
  ],
  body: btoa('<!doctype html><link rel="icon" href="data:,">'),
};

/** Opens a web address in a page. @throws {Error} when the browser does not, or the address has no origin. */
export async function openPage(page: DevTools, url: string): Promise<void> {
  const home = new URL("/", url).href;
  const unlisten = page.listen((method, { requestId, request }) => {
    if (method !== "Fetch.requestPaused") return;
    const isHome = (request as { url: string }).url === home;
    const answer = isHome
      ? page.send("Fetch.fulfillRequest", { requestId, ...BLANK })
      : page.send("Fetch.continueRequest", { requestId });
    answer.catch(() => {});
  });
  try {
    await page.send("Fetch.enable", { patterns: [{ urlPattern: "*", resourceType: "Document" }] });
    try {
      await page.send("Page.navigate", { url: home });
    } finally {
      await page.send("Fetch.disable");
    }
    const expression = `location.origin === ${JSON.stringify(new URL(url).origin)} &&
      (location.replace(${JSON.stringify(url)}), true)`;
    if (!await page.evaluate<boolean>(expression)) {
      throw new Error("the browser did not open the page's origin");
    }
  } finally {
    unlisten();
  }
}

/** How long a browser that was just started gets until it can be asked. */
const START_MS = 60_000;
const PAUSE_MS = 50;

/**
 * Opens a stream's page in its browser, as soon as that is up.
 * @param isWanted whether the browser runs, or still may.
 * @throws {Error} when it takes too long; the page watchdog tries again then.
 */
export async function openFirstPage(
  profile: string,
  url: string,
  isWanted: () => Promise<boolean>,
): Promise<void> {
  for (const deadline = Date.now() + START_MS; await isWanted(); await sleep(PAUSE_MS)) {
    try {
      using page = await DevTools.connect(profile);
      return await openPage(page, url);
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}
