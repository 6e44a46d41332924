/** The TV player under a remote control: the buttons' keys, volume, media keys and the ways back. */
import { strict as assert } from "node:assert";
import type { DashboardPage } from "../support/dashboard_page.ts";
import { type Player, PlayerPage } from "../support/player_page.ts";
import { FAILED_REQUESTS, playerTest, STREAM } from "../support/player_ui.ts";
import { uiTest } from "../support/ui.ts";
import { inSoak, unlessUsual } from "../support/soak.ts";
import { same } from "../support/same.ts";

const WITH_BUTTONS = ["tv", "framed"] as const;
const FAULTY = { mayLog: FAILED_REQUESTS };
const STOPPED = { streams: [{ name: "Clock" }] };

const focused = (tv: PlayerPage) => tv.frame.evaluate(() => document.activeElement!.id);
const isMuted = async (tv: PlayerPage) => (await tv.video()).isMuted;

for (const which of WITH_BUTTONS) {
  unlessUsual(which === "framed", playerTest)(
    `${which}: arrows choose a button, and OK presses it`,
    async ({ page, url }) => {
      const tv = new PlayerPage(page, url);
      await tv.openUntouched(which, STREAM);
      await page.keyboard.press("ArrowLeft");
      await same(() => focused(tv), "back");
      await page.keyboard.press("ArrowRight");
      await same(() => focused(tv), "mode");
      await page.keyboard.press("ArrowRight");
      await same(() => focused(tv), "full-screen");
      await page.keyboard.press("ArrowRight");
      await same(
        async () => [await focused(tv), await isMuted(tv)],
        ["mute", true],
        "looking at them changes nothing",
      );
      await page.keyboard.press("Enter");
      await same(() => isMuted(tv), false);
      await page.keyboard.press(" ");
      await same(() => isMuted(tv), true);
    },
  );

  inSoak(playerTest)(
    `${which}: OK on hidden buttons only brings them back, at the chosen one`,
    async ({ page, url }) => {
      const tv = new PlayerPage(page, url);
      await page.clock.install();
      await tv.openUntouched(which, STREAM);
      await page.keyboard.press("ArrowLeft");
      await page.clock.runFor(6000);
      await tv.untilHidden(tv.back);
      await page.keyboard.press("Enter");
      await tv.untilShown(tv.back);
      await same(() => focused(tv), "back");
      assert.match(new URL(page.url()).pathname, /clock$/);
      await page.keyboard.press("Enter");
      await page.waitForURL(`${url}/`);
    },
    FAULTY,
  );

  inSoak(playerTest)(`${which}: up and down are the volume`, async ({ watch }) => {
    const tv = await watch(which);
    await tv.page.keyboard.press("ArrowDown");
    await same(async () => (await tv.video()).volume, 0.9);
    await same(() => tv.message(), "Volume 90 %");
    await tv.page.keyboard.press("ArrowUp");
    await same(async () => (await tv.video()).volume, 1);
  });
}

inSoak(playerTest)("a television's mute key turns the sound off and on", async ({ watch }) => {
  const tv = await watch("tv");
  const before = await isMuted(tv);
  await tv.send("AudioVolumeMute", 0);
  await same(() => isMuted(tv), !before);
  await tv.send("Unidentified", 449);
  await same(() => isMuted(tv), before);
});

const MEDIA_KEYS: [key: string, code: number, resume: [string, number]][] = [
  ["MediaPlayPause", 0, ["MediaPlay", 415]],
  ["Unidentified", 10252, ["MediaPlay", 415]],
  ["MediaStop", 0, ["Enter", 13]],
  ["", 19, ["MediaPlay", 415]],
];

for (const [key, code, resume] of MEDIA_KEYS) {
  inSoak(playerTest)(
    `${key || "key"} ${code || ""} pauses; ${resume[0]} goes on at the newest picture`,
    async (ui) => {
      const tv = await ui.watch("tv", { hasClock: true });
      await tv.send(key, code);
      await same(async () => (await tv.video()).isPaused, true);
      await tv.untilMessage(/Paused/);
      await tv.page.clock.runFor(30_000);
      await same(async () => (await tv.video()).isPaused, true, "it stays so");
      const attempts = tv.attempts();
      await tv.send(...resume);
      await tv.untilPlaying();
      assert.equal(tv.attempts(), attempts + 1);
    },
    FAULTY,
  );
}

const LEAVING: [string, number][] = [
  ["GoBack", 0],
  ["BrowserBack", 166],
  ["XF86Back", 10009],
  ["Unidentified", 461],
  ["Escape", 27],
  ["Backspace", 8],
];

for (const which of WITH_BUTTONS) {
  inSoak(uiTest)(
    `${which}: every Back key leads to the streams`,
    async ({ page, url }) => {
      const tv = new PlayerPage(page, url);
      for (const [key, code] of LEAVING) {
        await tv.open(which, STREAM);
        await tv.untilReady();
        await tv.send(key, code);
        await page.waitForURL(`${url}/`);
        await page.goto("about:blank"); // the board must not be where the next one came from
      }
    },
    STOPPED,
  );

  unlessUsual(which === "framed", uiTest)(
    `${which}: the Back button leads to the streams`,
    async ({ page, url }) => {
      const tv = new PlayerPage(page, url);
      await tv.open(which, STREAM);
      await tv.untilReady();
      await tv.click(tv.back);
      await page.waitForURL(`${url}/`);
    },
    STOPPED,
  );
}

const LINKS: [
  link: string,
  which: Player,
  path: string,
  follow: (dashboard: DashboardPage) => Promise<void>,
][] = [
  ["Play", "framed", "/player/clock", (dashboard) => dashboard.action("Clock", "Play").click()],
  ["Run HTML", "tv", "/static/clock", async (dashboard) => {
    const share = await dashboard.share("Clock");
    await share.getByRole("link", { name: "Run HTML" }).click();
  }],
];

for (const [link, which, path, follow] of LINKS) {
  inSoak(uiTest)(
    `${which}: Back is a step back to the board it was opened from with ${link}`,
    async ({ page, url, dashboard }) => {
      await page.goto(`${url}/`);
      await page.evaluate(() => localStorage.setItem("global-prefs", JSON.stringify({ openNewTab: false })));
      await page.goto(`${url}/?mark`);
      await page.goto(`${url}/`);
      await page.locator("main[data-ready=true]").waitFor();
      await follow(dashboard);
      await page.waitForURL(url + path);
      const tv = new PlayerPage(page, url);
      await tv.find();
      await tv.untilReady();
      await tv.click(tv.back);
      await page.waitForURL(`${url}/`);
      const length = await page.evaluate(() => history.length);
      await page.goForward();
      await page.waitForURL(url + path);
      await same(() => page.evaluate(() => history.length), length, "not one page more in the history");
      // the fallback that was due when the page was left must not fire now
      await page.waitForTimeout(700);
      assert.equal(new URL(page.url()).pathname, path, "and it stays");
    },
    STOPPED,
  );

  inSoak(uiTest)(
    `${which}: Back closes the tab that ${link} opened`,
    async ({ page, url, dashboard }) => {
      await page.goto(`${url}/`);
      await page.evaluate(() => localStorage.setItem("global-prefs", JSON.stringify({ openNewTab: true })));
      await page.goto(`${url}/`);
      await page.locator("main[data-ready=true]").waitFor();
      const opening = page.context().waitForEvent("page");
      await follow(dashboard);
      const tv = new PlayerPage(await opening, url);
      await tv.page.waitForURL(url + path);
      await tv.find();
      await tv.untilReady();
      const closed = tv.page.waitForEvent("close");
      await tv.click(tv.back).catch(() => {}); // the tab may be gone before the click is
      await closed;
      assert.deepEqual(page.context().pages(), [page]);
    },
    { ...STOPPED, context: {} },
  );
}
