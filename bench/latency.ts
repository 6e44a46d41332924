/**
 * Glass to glass: from the painting in the streamed page to the picture in a viewer's browser, for the minimal player,
 * instant and steady, and for hls.js with its default settings, beside the other project's command on the same display,
 * played by hls.js; one after the other. And how soon a player that is opened has a picture.
 */
import type { Browser, Page } from "playwright-core";
import { launchBrowser } from "../tests/support/browser.ts";
import { playlistUrl } from "../tests/support/channel.ts";
import { fetchPlaylist } from "../tests/support/media.ts";
import { ageOf, seenPictures } from "../tests/support/video_clock.ts";
import { pause, within } from "../tests/support/within.ts";
import { type Bench, progress, serviceIn, shortened } from "./bench.ts";
import { median, percentile } from "./figures.ts";
import { peerCommand, startOther, surroundingsOf } from "./peer.ts";
import { peerMediaIn } from "./peer_media.ts";
import type { Row } from "./table.ts";

const SAMPLES = shortened(40);
/** Milliseconds between samples: no divisor of a segment's second, so that all its parts are seen. */
const SAMPLE_MS = 730;
const OPENINGS = shortened(5);
/** Both players have found their distance from the live edge by then. */
const SETTLE_MS = 15_000;
const START_MS = 30_000;

/** @param body the page, unless it is ours. @param mode of our player. */
async function open(browser: Browser, url: string, body = "", mode = "steady"): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 640, height: 360 } });
  const page = await context.newPage();
  await page.addInitScript((mode) => {
    localStorage.setItem("player-mode", mode);
    addEventListener("DOMContentLoaded", () => {
      const video = document.querySelector("video")!;
      video.requestVideoFrameCallback((now) => video.dataset.firstPicture = String(now));
    });
  }, mode);
  if (body) await page.route(url, (route) => route.fulfill({ body, contentType: "text/html" }));
  await page.goto(url);
  await page.waitForFunction(() => "firstPicture" in document.querySelector("video")!.dataset);
  return page;
}

const firstPicture = (page: Page) =>
  page.evaluate(() => Number(document.querySelector("video")!.dataset.firstPicture));

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

/** Median seconds behind the page, and from a player's address to its first picture; says the rest. */
async function measure(
  name: string,
  opening: () => Promise<Page>,
): Promise<{ behind: number; first: number }> {
  const firsts: number[] = [];
  for (let at = 1; at < OPENINGS; at++) {
    const page = await opening();
    firsts.push(await firstPicture(page));
    await page.context().close();
  }
  const page = await opening();
  firsts.push(await firstPicture(page));
  await pause(SETTLE_MS);
  const take = await seenPictures(page, { everyMs: SAMPLE_MS });
  await pause(SAMPLES * SAMPLE_MS);
  const { pictures, stalls } = await take();
  await page.context().close();
  const latencies = pictures.map(ageOf).filter((age) => age !== null);
  if (latencies.length === 0) throw new Error(`${name}: no sample could be read`);
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  progress(
    `${name.padEnd(18)} median ${seconds(median(latencies))}, p95 ${seconds(percentile(latencies, 0.95))}, ` +
      `worst ${seconds(Math.max(...latencies))} of ${latencies.length} samples; ` +
      `${stalls} stalls, ${pictures.length - latencies.length} samples unreadable; first picture ${
        firsts.map(seconds).join(", ")
      }`,
  );
  return { behind: median(latencies) / 1000, first: median(firsts) / 1000 };
}

export const latency: Bench = {
  name: "latency",
  limitMs: 420_000,
  async run(scope) {
    const [service, media] = [await serviceIn(scope), await peerMediaIn(scope)];
    const browser = await launchBrowser();
    scope.defer(() => browser.close());
    const { id } = await service.create({
      name: "Blocks",
      url: `${service.pageUrl}time-blocks.html`,
      fps: 25,
    });
    await untilListed(playlistUrl(service, id), 6);
    const library = await (await fetch(`${service.url}/vendor/hls.light.min.js`)).text();
    // of the playlist's own origin: Chromium lets no page of another one ask this machine
    const openPlain = (playlist: string) => () =>
      open(browser, new URL("/plain.html", playlist).href, plainPlayer(library, playlist));
    const player = `${service.url}/player/${id}.html`;
    const instant = await measure("instant view", () => open(browser, player, "", "instant"));
    const own = await measure("minimal player", () => open(browser, player));
    const plain = await measure("hls.js, defaults", openPlain(playlistUrl(service, id)));
    const { spec, env } = await surroundingsOf(service, id);
    scope.use(startOther(peerCommand(spec, media.publishUrl("peer")), env));
    await untilListed(media.playlistUrl("peer"), 4);
    const peer = await measure("the peer, hls.js", openPlain(media.playlistUrl("peer")));
    const row = (name: string, ours: number, baseline: number): Row => ({
      name,
      ours,
      baseline,
      unit: "s",
      better: "less",
      beside: "the direct peer's command, a bare media server, hls.js with its defaults",
    });
    return [
      row("glass to glass, instant view", instant.behind, peer.behind),
      row("glass to glass, minimal player", own.behind, peer.behind),
      row("glass to glass, hls.js with its defaults", plain.behind, peer.behind),
      row("a player's first picture, instant view", instant.first, peer.first),
      row("a player's first picture, minimal player", own.first, peer.first),
    ];
  },
};
