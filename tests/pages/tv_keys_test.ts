/** The TV player under a remote control: the buttons' keys, volume, media keys and the ways back. */
import { strict as assert } from "node:assert";
import type { DashboardPage } from "../support/dashboard_page.ts";
import { type Player, PlayerPage } from "../support/player_page.ts";
import { FAILED_REQUESTS, playerTest, STREAM } from "../support/player_ui.ts";
import { uiTest } from "../support/ui.ts";
import { inSoak } from "../support/soak.ts";
import { same } from "../support/same.ts";

const FAULTY = { mayLog: FAILED_REQUESTS };
const STOPPED = { streams: [{ name: "Clock" }] };

const focused = (tv: PlayerPage) => tv.frame.evaluate(() => document.activeElement!.id);
const isMuted = async (tv: PlayerPage) => (await tv.video()).isMuted;

playerTest(
  `framed: arrows choose a button, and OK presses it`,
  async ({ page, url }) => {
    const tv = new PlayerPage(page, url);
    await tv.openUntouched("framed", STREAM);
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

uiTest(
  `framed: the Back button leads to the streams`,
  async ({ page, url }) => {
    const tv = new PlayerPage(page, url);
    await tv.open("framed", STREAM);
    await tv.untilReady();
    await tv.click(tv.back);
    await page.waitForURL(`${url}/`);
  },
  STOPPED,
);

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
