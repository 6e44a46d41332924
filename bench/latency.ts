/**
 * Glass to glass: from the painting in the streamed page to the picture in a viewer's browser, for the minimal player,
 * instant and steady, and for hls.js with its default settings, beside the other project's command on the same display,
 * played by hls.js; one after the other.
 */
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../tests/support/browser.ts";
import { playlistUrl } from "../tests/support/channel.ts";
import { fetchPlaylist } from "../tests/support/media.ts";
import { type Bench, progress, serviceIn, shortened } from "./bench.ts";
import { median, percentile } from "./figures.ts";
import { peerCommand, startOther, surroundingsOf } from "./peer.ts";
import { peerMediaIn } from "./peer_media.ts";
import type { Row } from "./table.ts";
import { measureLatency } from "./time_blocks.ts";
import { pause, within } from "../tests/support/within.ts";

const SAMPLES = shortened(40);
/** Both players have found their distance from the live edge by then. */
const SETTLE_MS = 15_000;
const START_MS = 30_000;

/** @param body the page, unless it is ours. @param mode of our player. */
async function play(browser: Browser, url: string, body = "", mode = "steady"): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 640, height: 360 } });
  const page = await context.newPage();
  await page.addInitScript((mode) => localStorage.setItem("player-mode", mode), mode);
  if (body) await page.route(url, (route) => route.fulfill({ body, contentType: "text/html" }));
  await page.goto(url);
  await page.waitForFunction(() => document.querySelector("video")!.currentTime > 0);
  await pause(SETTLE_MS);
  return page;
}

/** A page with hls.js as it comes. @param library the source of hls.js. */
const plainPlayer = (library: string, playlist: string) =>
  `<!DOCTYPE html><video muted></video><script>${library}</script><script>
    const hls = new Hls();
    const video = document.querySelector("video");
    hls.on(Hls.Events.MANIFEST_PARSED, () => video.play());
    hls.loadSource(${JSON.stringify(playlist)});
    hls.attachMedia(video);
  </script>`;

/** A player that comes when the list is short is nearer to the live edge than those who come later. */
async function untilListed(url: string, segments: number): Promise<void> {
  await within(`${segments} segments`, START_MS, async () => {
    const playlist = await fetchPlaylist(url);
    return playlist !== null && playlist.segments.length >= segments;
  });
}

/** Median seconds; says the rest. */
async function measure(name: string, opening: Promise<Page>): Promise<number> {
  const page = await opening;
  const { latencies, stalls, restarts, unreadable } = await measureLatency(page, SAMPLES);
  await page.context().close();
  if (latencies.length === 0) throw new Error(`${name}: no sample could be read`);
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  progress(
    `${name.padEnd(18)} median ${seconds(median(latencies))}, p95 ${seconds(percentile(latencies, 0.95))}, ` +
      `worst ${seconds(Math.max(...latencies))} of ${latencies.length} samples; ` +
      `${stalls} stalls, ${restarts} restarts, ${unreadable} samples unreadable`,
  );
  return median(latencies) / 1000;
}

export const latency: Bench = {
  name: "latency",
  limitMs: 360_000,
  async run(scope) {
    const [service, media] = [await serviceIn(scope), await peerMediaIn(scope)];
    const browser = await launchBrowser();
    scope.defer(() => browser.close());
    const { id } = await service.create({
      ...{ name: "Blocks", url: `${service.pageUrl}time-blocks.html`, fps: 25 },
    });
    await untilListed(playlistUrl(service, id), 6);
    const library = await (await fetch(`${service.url}/vendor/hls.light.min.js`)).text();
    // of the playlist's own origin: Chromium lets no page of another one ask this machine
    const playPlain = (playlist: string) =>
      play(browser, new URL("/plain.html", playlist).href, plainPlayer(library, playlist));
    const player = `${service.url}/player/${id}.html`;
    const instant = await measure("instant view", play(browser, player, "", "instant"));
    const own = await measure("minimal player", play(browser, player));
    const plain = await measure("hls.js, defaults", playPlain(playlistUrl(service, id)));
    const { spec, env } = await surroundingsOf(service, id);
    scope.use(startOther(peerCommand(spec, media.publishUrl("peer")), env));
    await untilListed(media.playlistUrl("peer"), 4);
    const baseline = await measure("the peer, hls.js", playPlain(media.playlistUrl("peer")));
    const row = (player: string, ours: number): Row => ({
      ...{ name: `glass to glass, ${player}`, ours, baseline, unit: "s", better: "less" },
      beside: "the direct peer's command, a bare media server, hls.js with its defaults",
    });
    return [row("instant view", instant), row("minimal player", own), row("hls.js with its defaults", plain)];
  },
};
