/** A page of somebody else's with hls.js, which decodes and paints without a GPU: nothing else runs beside it. */
import { strict as assert } from "node:assert";
import { launchBrowser } from "../support/browser.ts";
import { playlistUrl, untilPageShown } from "../support/channel.ts";
import { checkSamples, sampleEverySecond } from "../support/clients.ts";
import { openHlsPage } from "../support/hls_page.ts";
import { CHANNEL_FPS } from "../support/players.ts";
import { within } from "../support/within.ts";
import { sharedService } from "../support/service.ts";

const SETUP_MS = 60_000;
const START_MS = 10_000;
/** Looks at hls.js: each paints a whole picture in software, which takes 2 s on a machine with other work. */
const HLS_JS_LOOKS = 7;
const HLS_JS_LIMIT_MS = 20_000;

const serviceTest = sharedService();

serviceTest("hls.js with its own defaults shows the page", async (service) => {
  const { id } = await service.create({ name: "Clock", fps: CHANNEL_FPS });
  await untilPageShown(service, id, 0, { limitMs: SETUP_MS });
  await using browser = await launchBrowser();
  const page = await openHlsPage(browser, service.url, playlistUrl(service, id));
  await within("a picture", START_MS, async () => (await page.sample()).frames > 0);
  const sampling = sampleEverySecond(page);
  const from = Date.now() - 1;
  await within("the looks at hls.js", HLS_JS_LIMIT_MS, () => sampling.samples.length >= HLS_JS_LOOKS);
  checkSamples(await sampling.end(), [{ what: "while all is well", from, to: Date.now() }]);
  assert.deepEqual(await page.fatalErrors(), []);
});
