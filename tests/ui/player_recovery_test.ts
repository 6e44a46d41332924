/** The players never give up: whatever breaks, the picture is back by itself. */
import { strict as assert } from "node:assert";
import { PlayerPage } from "../support/player_page.ts";
import { FAILED_REQUESTS, type PlayerTest, playerTest, STREAM } from "../support/player_ui.ts";
import { pause, until } from "../support/service.ts";
import type { UiOptions } from "../support/ui.ts";

const MINUTE_MS = 60_000;
/** Players try again after at most 10 s (player/live.ts), and ask two addresses then. */
const BACK_MS = 12_000;
const FAR_AT_ONCE_MS = 5000;
/** A picture that stands still for 5 s is a stall; the player checks once a second. */
const STALL_MS = 6000;

/** A test in which requests fail, for both scripts' ways to the channel. */
function recoveryTest(
  name: string,
  test: (ui: PlayerTest, which: "minimal" | "tv") => Promise<void>,
  options?: UiOptions,
): void {
  for (const which of ["minimal", "tv"] as const) {
    playerTest(`${which}: ${name}`, (ui) => test(ui, which), { mayLog: FAILED_REQUESTS, ...options });
  }
}

recoveryTest("an encoder that is back within 3 s is no stall", async ({ watch, channel }, which) => {
  const player = await watch(which);
  channel.freeze();
  await pause(3000);
  channel.thaw();
  await player.untilNewFrame();
  assert.equal(player.attempts(), 1);
});

recoveryTest("a dead encoder's last seconds are not shown again", async ({ watch, channel }, which) => {
  const player = await watch(which, { hasClock: true });
  channel.freeze();
  await player.run(STALL_MS);
  await until("a new attempt", 5000, () => player.attempts() > 1);
  await player.untilMessage(/Waiting for the picture/);
  await player.run(15_000);
  assert.equal((await player.video()).time, 0);
  channel.thaw();
  await player.runUntilPlaying(BACK_MS);
});

recoveryTest("plays again after the media server was away", async ({ watch, channel }, which) => {
  const player = await watch(which, { hasClock: true });
  await channel.stop();
  await player.run(20_000);
  await player.untilMessage(/Waiting for the picture/);
  channel.start();
  await player.runUntilPlaying(BACK_MS);
});

recoveryTest("plays on when the channel's numbers start again", async ({ watch, channel }, which) => {
  const player = await watch(which, { hasClock: true });
  channel.renumber();
  await pause(2500); // a list of two segments
  await player.runUntilPlaying(STALL_MS + BACK_MS);
  await player.untilNewFrame();
});

recoveryTest("listed segments that are gone are not waited for", async ({ page, url, channel }, which) => {
  channel.deleteSegments();
  const player = new PlayerPage(page, url);
  await player.open(which, STREAM);
  await player.untilPlaying();
});

recoveryTest("plays through a restart of the web app, or after it", async (ui, which) => {
  const player = await ui.watch(which, { hasClock: true });
  const attempts = player.attempts();
  await ui.stopApp();
  if (which === "tv") { // straight from the media server
    await player.untilNewFrame();
    assert.equal(player.attempts(), attempts);
    return await ui.startApp();
  }
  await player.run(20_000);
  await player.untilMessage(/The service cannot be reached/);
  await ui.startApp();
  await player.runUntilPlaying(BACK_MS);
});

recoveryTest("ten minutes without a network", async ({ watch }, which) => {
  const player = await watch(which, { hasClock: true });
  await player.page.context().setOffline(true);
  await player.run(MINUTE_MS, FAR_AT_ONCE_MS);
  await player.untilMessage(/The service cannot be reached/);
  const before = player.attempts();
  await player.run(9 * MINUTE_MS, FAR_AT_ONCE_MS);
  assert.match(await player.message(), /The service cannot be reached/);
  const attempts = player.attempts() - before;
  assert.ok(attempts > 20 && attempts < 60, `${attempts} attempts in 9 minutes`);
  await player.page.context().setOffline(false);
  await player.untilPlaying();
});

recoveryTest("a night asleep", async ({ watch }, which) => {
  const player = await watch(which, { hasClock: true });
  const attempts = player.attempts();
  await player.page.clock.fastForward("08:00:00");
  await until("a new beginning", 5000, () => player.attempts() > attempts);
  await player.untilPlaying();
});

recoveryTest("a deleted stream says so", async ({ watch, app, channel }, which) => {
  const player = await watch(which, { hasClock: true });
  await app.api("DELETE", `/api/streams/${STREAM}`);
  await channel.stop();
  await player.run(STALL_MS + BACK_MS);
  await player.untilMessage(/no such channel/);
});

playerTest(
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

playerTest("a page in the background is left alone", async ({ watch }) => {
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
    await pause(400); // what it asked for is here before the next minute, as it is in truth
  }
  assert.equal(tv.attempts(), attempts);
  await hide(false);
  await tv.untilPlaying();
}, { mayLog: FAILED_REQUESTS });
