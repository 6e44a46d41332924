/** The auto-reload helper: reloads a stream's page at an interval, for months. */
import { errorText } from "../system/log.ts";
import { DevTools } from "./client.ts";
import { sleep } from "../system/time.ts";

/** Reloads the page of the browser with this profile once. */
export async function reloadPage(profile: string): Promise<void> {
  using page = await DevTools.connect(profile);
  // by the page itself: Chromium would not check where a reload of its own is redirected to (open_page.ts)
  await page.evaluate("location.reload()");
}

/** Reloads every `minutes` until `signal` aborts; a browser that is away now is tried at the next interval. */
export async function autoReload(profile: string, minutes: number, signal: AbortSignal): Promise<void> {
  while (true) {
    await sleep(minutes * 60_000, signal);
    if (signal.aborted) return;
    await reloadPage(profile).then(
      () => console.log("page reloaded"),
      (error) => console.error(`page not reloaded: ${errorText(error)}`),
    );
  }
}
