/** The TV player's Back and Mute: there for 5 s after a movement, a touch or a key. */
import { strict as assert } from "node:assert";
import { type Player, PlayerPage } from "../support/player_page.ts";
import { FAILED_REQUESTS, type PlayerTest, playerTest, STREAM } from "../support/player_ui.ts";
import type { UiOptions } from "../support/ui.ts";
import { inSoak } from "../support/soak.ts";
import { same } from "../support/same.ts";
import { stopClock } from "../support/page_clock.ts";

const SHOWN_MS = 5000;
/** Without the fade of 0.2 s, which takes the page's frames and not its clock: a busy machine paints them late. */
const TOUCH: UiOptions = { context: { hasTouch: true, reducedMotion: "reduce" }, mayLog: FAILED_REQUESTS };

/** A player whose buttons have gone, and whose clock stands still. */
async function openHidden({ page, url }: PlayerTest, which: Player): Promise<PlayerPage> {
  const tv = new PlayerPage(page, url);
  await page.clock.install();
  await tv.open(which, STREAM);
  await tv.untilReady();
  await stopClock(page, 60_000);
  await page.clock.runFor(SHOWN_MS);
  await untilGone(tv);
  return tv;
}

async function untilBack(tv: PlayerPage): Promise<void> {
  await tv.untilShown(tv.back);
  await tv.untilShown(tv.mute);
}

async function untilGone(tv: PlayerPage): Promise<void> {
  await tv.untilHidden(tv.back);
  await tv.untilHidden(tv.mute);
}

async function expectGoneAfter5s(tv: PlayerPage): Promise<void> {
  await tv.page.clock.runFor(SHOWN_MS - 100);
  await same(
    async () => await tv.back.isVisible() && await tv.mute.isVisible(),
    true,
    "still there after 4.9 s",
  );
  await tv.page.clock.runFor(100);
  await untilGone(tv);
}

playerTest("Tab finds the buttons, which do not keep the focus when they go", async (ui) => {
  const tv = await openHidden(ui, "tv");
  await ui.page.keyboard.press("Tab");
  await untilBack(tv);
  await tv.frame.locator("#back:focus").waitFor();
  await expectGoneAfter5s(tv);
  await same(() => tv.frame.evaluate(() => document.activeElement === document.body), true);
}, TOUCH);

inSoak(playerTest)("a tap that brings the buttons back presses none", async (ui) => {
  const { page, url } = ui;
  const tv = await openHidden(ui, "tv");
  const { x, y, width, height } = (await tv.back.boundingBox())!;
  const tap = async () => {
    const isOver = tv.frame.evaluate(() => new Promise((done) => addEventListener("click", done, true)))
      .catch(() => {}); // the page is gone
    await page.touchscreen.tap(x + width / 2, y + height / 2);
    await isOver;
  };
  await tap();
  await untilBack(tv);
  await page.evaluate(() => 0); // a navigation would have begun before
  assert.equal(new URL(page.url()).pathname, "/static/clock");
  await page.clock.runFor(2000);
  await tap();
  await page.waitForURL(`${url}/`);
}, TOUCH);
