/** The players never give up: whatever breaks, the picture is back by itself. */
import { strict as assert } from "node:assert";
import { BACK_MS, FAR_AT_ONCE_MS, MINUTE_MS, recoveryTests } from "../support/player_recoveries.ts";
import { FAILED_REQUESTS, playerTest } from "../support/player_ui.ts";
import { inSoak } from "../support/soak.ts";

recoveryTests("suite");

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
