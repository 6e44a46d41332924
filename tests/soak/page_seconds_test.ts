/** How soon pages are there, and channels change: what people feel, on a machine that does nothing else. */
import { strict as assert } from "node:assert";
import { paintTimes } from "../support/loading.ts";
import { changeChannel, PlayerPage } from "../support/player_page.ts";
import { FAILED_REQUESTS, playerTest, STREAM } from "../support/player_ui.ts";
import { uiTest } from "../support/ui.ts";

/** https://web.dev/articles/lcp calls up to 2.5 s good. */
const LARGEST_PAINT_MS = 2500;
const CHANGE_MS = 1000;

uiTest("the board's largest paint is early", async ({ page, dashboard }) => {
  await dashboard.open();
  const { largest } = await paintTimes(page);
  assert.ok(largest > 0 && largest < LARGEST_PAINT_MS, `${largest} ms`);
}, { streams: [{ name: "Clock" }] });

playerTest("the channel keys of the TV player change within 1 s", async ({ page, url }) => {
  const tv = new PlayerPage(page, url);
  await tv.open("tv", STREAM);
  await tv.untilPlaying();
  await tv.frame.locator("#to-channels:not([hidden])").waitFor({ state: "attached" });
  const taken = [await changeChannel(tv, "PageUp"), await changeChannel(tv, "PageUp")];
  assert.ok(Math.max(...taken) < CHANGE_MS, `${taken} ms`);
}, { streams: [{ name: "News", desiredState: "running" }], others: ["news"], mayLog: FAILED_REQUESTS });
