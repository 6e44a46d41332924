/**
 * The players never give up: whatever breaks, the picture is back by itself. They run one script, so each recovery is
 * shown on one of them: the minimal player comes to the channel by the proxy, the TV player straight to the media server.
 */
import { strict as assert } from "node:assert";
import type { Page } from "playwright-core";
import { PlayerPage } from "../support/player_page.ts";
import { FAILED_REQUESTS, playerTest, STREAM } from "../support/player_ui.ts";
import { same, until } from "../support/same.ts";
import { inSoak } from "../support/soak.ts";

const MINUTE_MS = 60_000;
/** Players try again after at most 10 s (player/live.ts), and ask two addresses then. */
const BACK_MS = 12_000;
/** How far a player's clock runs at once where nothing answers. */
const FAR_AT_ONCE_MS = 5000;
/** A picture that stands still for 5 s is a stall; the player checks once a second. */
const STALL_MS = 6000;
const FAULTY = { mayLog: FAILED_REQUESTS };

playerTest("minimal: listed segments that are gone are not waited for", async ({ page, url, channel }) => {
  channel.deleteSegments();
  const player = new PlayerPage(page, url);
  await player.open("minimal", STREAM);
  await player.untilPlaying();
}, FAULTY);

playerTest("tv: plays through a restart of the web app, straight from the media server", async (ui) => {
  const player = await ui.watch("tv", { hasClock: true });
  const attempts = player.attempts();
  await ui.stopApp();
  await player.untilNewFrame();
  assert.equal(player.attempts(), attempts);
  await ui.startApp();
}, FAULTY);

inSoak(playerTest)("minimal: plays again after a restart of the web app", async (ui) => {
  const player = await ui.watch("minimal", { hasClock: true });
  await ui.stopApp();
  await player.run(20_000);
  await player.untilMessage(/The service cannot be reached/);
  await ui.startApp();
  await player.runUntilPlaying(BACK_MS);
}, FAULTY);

inSoak(playerTest)("tv: a dead encoder's last seconds are not shown again", async ({ watch, channel }) => {
  const player = await watch("tv", { hasClock: true });
  channel.freeze();
  await player.run(STALL_MS);
  await until("a new attempt", () => player.attempts() > 1);
  await player.untilMessage(/Waiting for the picture/);
  await player.run(15_000);
  await same(async () => (await player.video()).time, 0);
  channel.thaw();
  await player.runUntilPlaying(BACK_MS);
}, FAULTY);

inSoak(playerTest)("tv: plays again after the media server was away", async ({ watch, channel }) => {
  const player = await watch("tv", { hasClock: true });
  await channel.stop();
  await player.run(20_000);
  await player.untilMessage(/Waiting for the picture/);
  channel.start();
  await player.runUntilPlaying(BACK_MS);
}, FAULTY);

inSoak(playerTest)("tv: a night asleep", async ({ watch }) => {
  const player = await watch("tv", { hasClock: true });
  const attempts = player.attempts();
  await player.page.clock.fastForward("08:00:00");
  await until("a new beginning", () => player.attempts() > attempts);
  await player.untilPlaying();
}, FAULTY);

inSoak(playerTest)("tv: a deleted stream says so", async ({ watch, app, channel }) => {
  const player = await watch("tv", { hasClock: true });
  await app.api("DELETE", `/api/streams/${STREAM}`);
  await channel.stop();
  await player.run(STALL_MS + BACK_MS);
  await player.untilMessage(/channel was deleted/);
}, FAULTY);

inSoak(playerTest)(
  "an outage costs few requests, and ends within seconds",
  async ({ watch, stopApp, startApp, channel }) => {
    const tv = await watch("tv", { hasClock: true });
    await Promise.all([stopApp(), channel.stop()]);
    await tv.run(MINUTE_MS, FAR_AT_ONCE_MS);
    await tv.untilMessage(/The service cannot be reached/);
    const from = tv.requests.length;
    await tv.run(5 * MINUTE_MS, FAR_AT_ONCE_MS);
    const requests = tv.requests.length - from;
    assert.ok(requests > 16 && requests < 38, `${requests} requests in 5 minutes`);
    await startApp();
    channel.start();
    await tv.runUntilPlaying(BACK_MS);
  },
  { mayLog: FAILED_REQUESTS },
);

inSoak(playerTest)("a page in the background is left alone", async ({ watch }) => {
  const tv = await watch("tv", { hasClock: true });
  const attempts = tv.attempts();
  const hide = (isHidden: boolean) =>
    tv.frame.evaluate((isHidden) => {
      Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, isHidden);
  await tv.frame.locator("video").evaluate((video: HTMLVideoElement) => video.muted = true);
  await hide(true);
  await tv.page.clock.runFor(1000);
  // timers of hidden pages are slowed down to one a minute
  for (let minute = 0; minute < 5; minute++) {
    await tv.page.clock.fastForward(MINUTE_MS);
    // what it asked for before is here as well, as it is in truth
    await tv.page.evaluate(() => fetch("/api/config").then((answer) => answer.text()));
  }
  assert.equal(tv.attempts(), attempts);
  await hide(false);
  await tv.untilPlaying();
}, { mayLog: FAILED_REQUESTS });

const EVERY_MINUTES = 5;
const RELOADING = {
  env: { DEFAULT_RELOAD_CLIENT: "true", DEFAULT_RELOAD_CLIENT_TIME: String(EVERY_MINUTES) },
  mayLog: FAILED_REQUESTS,
};

const frameIds = (page: Page) => page.locator("iframe").evaluateAll((frames) => frames.map(({ id }) => id));

inSoak(playerTest)(
  "the next player starts behind the one that plays, and takes its place",
  async ({ watch }) => {
    const player = await watch("framed", { hasClock: true });
    const { page } = player;
    await page.waitForFunction(
      (minutes) => localStorage.getItem("global-prefs")?.includes(`"reloadClientTime":${minutes}`),
      EVERY_MINUTES,
    );
    await page.mouse.click(700, 500); // sound
    await player.click(player.mute);
    await same(() => frameIds(page), ["player-0"]);
    let release = () => {};
    const blocked = new Promise<void>((done) => release = done);
    await page.route("**/static/clock", async (route) => {
      await blocked;
      await route.continue();
    });
    await player.run((EVERY_MINUTES - 1) * MINUTE_MS, FAR_AT_ONCE_MS);
    await same(() => frameIds(page), ["player-0"]);
    await player.run(MINUTE_MS + 1000, FAR_AT_ONCE_MS);
    await until("the next player", async () => (await frameIds(page)).length === 2);
    // the one on top goes on until the next one plays
    const top = await page.evaluate(() => document.elementFromPoint(innerWidth / 2, innerHeight / 2)!.id);
    assert.equal(top, "player-0");
    release();
    await until("the change", async () => (await frameIds(page)).join() === "player-1");
    await player.find();
    await player.untilPlaying();
    await same(async () => (await player.video()).isMuted, true, "the viewer's choice is kept");
    await same(() => page.evaluate(() => document.activeElement!.id), "player-1", "keys go to it");
  },
  RELOADING,
);
