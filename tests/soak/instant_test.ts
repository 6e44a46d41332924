/**
 * The instant view for minutes, as a viewer sees and hears it: how far it is behind the page, and its sound from its
 * picture. `INSTANT_MINUTES=60` is the long run.
 */
import { strict as assert } from "node:assert";
import { median } from "../../bench/figures.ts";
import { launchBrowser } from "../support/browser.ts";
import { startService } from "../support/service.ts";
import { ageOf, heardBeeps, seenPictures } from "../support/video_clock.ts";
import { pause } from "../support/within.ts";

const minutes = Number(Deno.env.get("INSTANT_MINUTES") ?? 10);
/** tests/fixtures/burst.html begins to move so often, and has its blocks in so much of its height. */
const [BURST_S, HEIGHT] = [25, 500 / 720];
const LOOK_MS = 10_000;
/** Milliseconds that the last minutes may be further behind than the first, and the sound from the picture. */
const [MOST_DRIFT_MS, MOST_APART_MS] = [100, 80];

Deno.test(`${minutes} minutes of the instant view: close to the page, in step with its sound, no drift`, async () => {
  await using all = new AsyncDisposableStack();
  const service = await startService();
  all.defer(async () => void await service.stop());
  const { id } = await service.create({ name: "Burst", url: `${service.pageUrl}burst.html`, fps: 25 });
  await service.untilState(id, "running");
  const browser = await launchBrowser("--autoplay-policy=no-user-gesture-required");
  all.defer(() => browser.close());
  // the worklet that listens is no script of ours
  const page = await browser.newPage({ bypassCSP: true });
  const playlists: string[] = [];
  page.on("request", (request) => request.url().includes(".m3u8") && playlists.push(request.url()));
  await page.addInitScript(() => localStorage.setItem("player-mode", "instant"));
  await page.goto(`${service.url}/player/${id}.html`);
  await page.waitForFunction(() => document.querySelector("video")!.currentTime > 0);
  await page.evaluate(() => document.querySelector("video")!.muted = false);
  const [pictures, beeps] = [await seenPictures(page, { height: HEIGHT }), await heardBeeps(page)];
  const bursts: { age: number; at: number }[] = [];
  const heard: number[] = [];
  let [lastMoved, stalls] = [-Infinity, 0];
  for (const end = performance.now() + minutes * 60_000; performance.now() < end;) {
    await pause(LOOK_MS);
    assert.deepEqual(playlists, [], `HLS is played after ${bursts.length} bursts and ${stalls} stalls`);
    const taken = await pictures();
    stalls = taken.stalls;
    for (const picture of taken.pictures) {
      const age = ageOf(picture);
      if (age === null) continue;
      if (picture.at - lastMoved > 1000) bursts.push({ age, at: picture.at });
      lastMoved = picture.at;
    }
    heard.push(...await beeps());
  }
  const whole = bursts.slice(1); // the first may have been under way
  const apart = whole.map(({ at }) =>
    heard.map((beep) => beep - at).toSorted((a, b) => Math.abs(a) - Math.abs(b))[0]
  );
  const ages = whole.map(({ age }) => age);
  const part = Math.ceil(ages.length / 6);
  const [first, last] = [median(ages.slice(0, part)), median(ages.slice(-part))];
  console.log(
    `    ${ages.length} bursts, ${stalls} stalls: behind the page median ${
      median(ages).toFixed(0)
    } ms, worst ${Math.max(...ages).toFixed(0)}, at first ${first.toFixed(0)}, at the end ${
      last.toFixed(0)
    }; sound after picture median ${median(apart).toFixed(0)} ms (${Math.min(...apart).toFixed(0)} to ${
      Math.max(...apart).toFixed(0)
    })`,
  );
  assert.ok(whole.length >= minutes * 60 / BURST_S - 3, `${whole.length} bursts were seen`);
  assert.ok(last - first <= MOST_DRIFT_MS, `it drifts: ${first} ms, then ${last} ms`);
  assert.ok(Math.abs(median(apart)) <= MOST_APART_MS, `the sound is ${median(apart)} ms from its picture`);
});
