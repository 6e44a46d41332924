/** The player page reloads its player behind the one that plays. */
import { strict as assert } from "node:assert";
import type { Page } from "playwright-core";
import { FAR_AT_ONCE_MS, MINUTE_MS } from "../support/player_recoveries.ts";
import { FAILED_REQUESTS, playerTest } from "../support/player_ui.ts";
import { same, until } from "../support/same.ts";
import { inSoak } from "../support/soak.ts";

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
