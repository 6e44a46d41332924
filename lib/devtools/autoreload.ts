/** The auto-reload helper: reloads a stream's page at an interval, for months. */
import { errorText } from "../system/log.ts";
import { DevTools } from "./client.ts";
import { sleep } from "../system/time.ts";

/** Reloads the page of the browser at `port` once. */
export async function reloadPage(port: number): Promise<void> {
  using page = await DevTools.connect(port);
  await page.send("Page.reload");
}

/** Reloads every `minutes` until `signal` aborts; a browser that is away now is tried at the next interval. */
export async function autoReload(port: number, minutes: number, signal: AbortSignal): Promise<void> {
  while (true) {
    await sleep(minutes * 60_000, signal);
    if (signal.aborted) return;
    await reloadPage(port).then(
      () => console.log("page reloaded"),
      (error) => console.error(`page not reloaded: ${errorText(error)}`),
    );
  }
}
