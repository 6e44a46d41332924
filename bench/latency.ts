/**
 * Glass to glass: from the painting in the streamed page to the picture in a viewer's browser, for the minimal player
 * and for hls.js with its default settings, one after the other.
 *
 *     deno task build && deno run -A bench/latency.ts
 */
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../tests/support/browser.ts";
import { startService, until } from "../tests/support/service.ts";
import { playlistUrl } from "../tests/support/channel.ts";
import { median } from "./processes.ts";
import { measureLatency } from "./time_blocks.ts";

const SAMPLES = 80;
/** Both players have found their distance from the live edge by then. */
const SETTLE_MS = 15_000;

async function play(browser: Browser, url: string, body?: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 640, height: 360 } });
  const page = await context.newPage();
  if (body) await page.route(url, (route) => route.fulfill({ body, contentType: "text/html" }));
  await page.goto(url);
  await page.waitForFunction(() => document.querySelector("video")!.currentTime > 0);
  await new Promise((done) => setTimeout(done, SETTLE_MS));
  return page;
}

/** hls.js as it comes. */
const baseline = (source: string) =>
  `<!DOCTYPE html><video muted></video><script src="/vendor/hls.light.min.js"></script><script>
    const hls = new Hls();
    const video = document.querySelector("video");
    hls.on(Hls.Events.MANIFEST_PARSED, () => video.play());
    hls.loadSource(${JSON.stringify(source)});
    hls.attachMedia(video);
  </script>`;

const percentile = (values: number[], part: number) =>
  [...values].sort((a, b) => a - b)[Math.ceil(values.length * part) - 1];

const service = await startService();
const browser = await launchBrowser();
try {
  const { id } = await service.create({ name: "Blocks", url: `${service.pageUrl}time-blocks.html` });
  await until("the stream to run", 30_000, async () => (await service.status(id)).state === "running");
  const players: Record<string, () => Promise<Page>> = {
    "minimal player": () => play(browser, `${service.url}/player/${id}.html`),
    "hls.js, defaults": () =>
      play(browser, `${service.url}/baseline.html`, baseline(playlistUrl(service, id))),
  };
  for (const [name, open] of Object.entries(players)) {
    const page = await open();
    const { latencies, stalls, restarts, unreadable } = await measureLatency(page, SAMPLES);
    const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
    console.log(
      `${name.padEnd(18)} median ${seconds(median(latencies))}, p95 ${
        seconds(percentile(latencies, 0.95))
      }, ` +
        `worst ${seconds(Math.max(...latencies))} of ${latencies.length} samples; ` +
        `${stalls} stalls, ${restarts} restarts, ${unreadable} samples unreadable`,
    );
    await page.context().close();
  }
} finally {
  await browser.close();
  await service.stop();
}
