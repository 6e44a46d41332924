/** Loads a page from its server, past the browser's cache and past service workers. */
import type { DevTools } from "./client.ts";

/**
 * Loads a page with all its parts from its server. The cache is emptied as well: frames of other sites, workers and parts
 * that are asked for later do not know that the page is loaded without it.
 * @param load resolves when the page has loaded. @throws {Error} of `load`; when the browser does not answer.
 */
export async function fromServer<Result>(page: DevTools, load: () => Promise<Result>): Promise<Result> {
  await emptyCache(page);
  return await whileSet(page, [WITHOUT_CACHE, PASSING_WORKERS], load);
}

/** Empties the browser's cache of all pages. The data that their scripts store stays. */
export async function emptyCache(page: DevTools): Promise<void> {
  await page.send("Network.clearBrowserCache");
}

/** Loads the parts that a page asks for meanwhile from their servers. @throws {Error} as `fromServer`. */
export function withoutCache<Result>(page: DevTools, load: () => Promise<Result>): Promise<Result> {
  return whileSet(page, [WITHOUT_CACHE], load);
}

/** Has no service worker answer a page meanwhile. @throws {Error} as `fromServer`. */
export function passingWorkers<Result>(page: DevTools, load: () => Promise<Result>): Promise<Result> {
  return whileSet(page, [PASSING_WORKERS], load);
}

type Setting = readonly [method: string, params: Record<string, unknown>];

const WITHOUT_CACHE: Setting = ["Network.setCacheDisabled", { cacheDisabled: true }];
const PASSING_WORKERS: Setting = ["Network.setBypassServiceWorker", { bypass: true }];

async function whileSet<Result>(
  page: DevTools,
  settings: readonly Setting[],
  load: () => Promise<Result>,
): Promise<Result> {
  await page.send("Network.enable");
  try {
    for (const [method, params] of settings) await page.send(method, params);
    return await load();
  } finally {
    // the enabled domain reports each request of the page; what was set ends with it
    await page.send("Network.disable").catch(() => {});
  }
}
