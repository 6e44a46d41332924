/** The TV player changes to other channels: keys, numbers, the list over the picture, and full screen. */
import { strict as assert } from "node:assert";
import { Buffer } from "node:buffer";
import { JPEG } from "../support/machine.ts";
import { inSoak } from "../support/soak.ts";
import { changeChannel, type Player, PlayerPage } from "../support/player_page.ts";
import { FAILED_REQUESTS, type PlayerOptions, playerTest, STREAM } from "../support/player_ui.ts";
import { streamId } from "../../lib/model/id.ts";
import { same, until } from "../support/same.ts";

/** Four channels, of which the third is off. */
const CHANNELS: PlayerOptions = {
  streams: [
    { name: "News", desiredState: "running", channelLogo: "http://nas.test/news.jpg" },
    { name: "Off" },
    { name: "Sales figures of all branches", id: "sales", desiredState: "running" },
  ],
  others: ["news", "sales"],
  mayLog: FAILED_REQUESTS,
};

const path = (player: PlayerPage) => new URL(player.page.url()).pathname;
const isListOpen = (player: PlayerPage) => player.frame.locator("#channels").isVisible();
const focused = (player: PlayerPage) => player.frame.evaluate(() => document.activeElement!.textContent);

/** A player that knows the channels. */
async function opened(page: PlayerPage["page"], url: string, which: Player): Promise<PlayerPage> {
  const player = new PlayerPage(page, url);
  await player.open(which, STREAM);
  await player.untilPlaying();
  await player.frame.locator("#to-channels:not([hidden])").waitFor({ state: "attached" });
  return player;
}

playerTest("tv: the channel keys change without a new page, and skip what is off", async (ui) => {
  const { page, url, channel, app } = ui;
  await app.service.fleet.get(streamId("news")).thumbnail.capture();
  await page.addInitScript(() => {
    const { createObjectURL } = URL;
    URL.createObjectURL = (blob) => {
      const address = createObjectURL(blob);
      if ((blob as Blob).type === "image/jpeg") Object.assign(globalThis, { warmed: address });
      return address;
    };
  });
  const tv = await opened(page, url, "tv");
  const warmed = await tv.frame.waitForFunction(() => (globalThis as { warmed?: string }).warmed);
  await tv.frame.evaluate(() => {
    const isSamePage = true;
    const video = document.querySelector("video")!;
    // the banner goes after 3 s, which a busy machine may take to play the channel
    const note = () => {
      const banner = [...document.querySelectorAll("#banner.is-shown > *")].map((it) => it.textContent);
      Object.assign(globalThis, { noted: { poster: video.poster, banner } });
    };
    addEventListener("keydown", note, { once: true });
    Object.assign(globalThis, { isSamePage });
  });
  await changeChannel(tv, "PageUp");
  const { poster, banner: [number, name, clock] } = await tv.frame.evaluate(() =>
    (globalThis as unknown as { noted: { poster: string; banner: string[] } }).noted
  );
  assert.equal(poster, await warmed.jsonValue(), "the last thumbnail was there at once");
  assert.deepEqual([number, name], ["2", "News"]);
  assert.match(clock, /^\d?\d[:.]\d\d/);
  await same(() => tv.frame.evaluate(() => document.querySelector("video")!.poster), "", "and is gone");
  await same(async () => [path(tv), await page.title()], ["/static/news", "News"]);
  assert.ok(tv.requests.some((one) => one.startsWith(`${channel.origin}/live/news/`) && one.endsWith(".ts")));
  await changeChannel(tv, "PageUp");
  assert.equal(path(tv), "/static/sales");
  await tv.screenshot("player-tv-banner");
  await changeChannel(tv, "PageUp");
  assert.equal(path(tv), "/static/clock", "after the last one the first");
  await tv.send("", 428);
  await until("the last channel", () => path(tv) === "/static/sales");
  await same(() => tv.frame.evaluate(() => "isSamePage" in globalThis), true);
  await tv.untilPlaying();
}, CHANNELS);

playerTest("tv: OK opens the list over the picture, in which arrows and OK choose", async (ui) => {
  const { page, url, app } = ui;
  app.machine.supervisord.setState("browser-sales", "FATAL");
  await page.route("http://nas.test/**", (route) => route.fulfill({ body: Buffer.from(JPEG) }));
  const tv = await opened(page, url, "tv");
  await page.mouse.click(640, 200); // sound: the first OK would be for it
  await page.keyboard.press("Enter");
  await same(() => focused(tv), "1Clock");
  await same(() => tv.frame.locator("#channels button").allInnerTexts().then((rows) => rows.map(oneLine)), [
    "1 Clock",
    "2 News",
    "3 Off stopped",
    "4 Sales figures of all branches failed",
  ]);
  const logo = tv.frame.locator("#channels li", { hasText: "News" }).locator("img");
  await same(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth > 0), true);
  for (const [name, width, height] of [["tv", 1920, 1080], ["phone", 390, 844]] as const) {
    await page.setViewportSize({ width, height });
    await tv.screenshot(`player-channels-${name}`);
  }
  await same(() => tv.problems(), []);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await same(async () => String(await focused(tv)), /^4/, "the last one");
  await page.keyboard.press("Escape");
  await same(
    async () => [await isListOpen(tv), path(tv)],
    [false, "/static/clock"],
    "Back closes the list alone",
  );
  await tv.click(tv.frame.getByRole("button", { name: "Channels" }));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await same(async () => [await isListOpen(tv), path(tv)], [false, "/static/news"]);
  await tv.untilPlaying();
  await page.keyboard.press("4");
  await page.keyboard.press("Enter");
  await tv.untilMessage(/This channel has failed/);
  await page.keyboard.press("Enter");
  await same(() => isListOpen(tv), true);
  for (const [name, width, height] of [["tv", 1920, 1080], ["phone", 390, 844]] as const) {
    await page.setViewportSize({ width, height });
    await same(
      () => tv.frame.evaluate(isMessageOverList),
      false,
      `the message is over the list on a ${name}`,
    );
  }
}, CHANNELS);

/** Runs in the page. */
function isMessageOverList(): boolean {
  const [list, message] = ["channels", "message"].map((id) => document.getElementById(id)!);
  const isSeen = getComputedStyle(message).visibility === "visible";
  return isSeen && message.getBoundingClientRect().left < list.getBoundingClientRect().right;
}

const oneLine = (text: string) => text.trim().replaceAll(/\s+/g, " ");

inSoak(playerTest)("framed: F and the button fill the screen, and leave it", async ({ page, url }) => {
  const player = await opened(page, url, "framed");
  const isFull = () => page.evaluate(() => document.fullscreenElement !== null);
  await page.keyboard.press("f");
  await until("full screen", isFull);
  await player.click(player.frame.getByRole("button", { name: "Full screen" }));
  await until("the window", async () => !await isFull());
}, CHANNELS);

playerTest(
  "tv: the first OK turns on the sound that the browser kept off, the next opens the list",
  async (ui) => {
    const tv = new PlayerPage(ui.page, ui.url);
    await tv.openUntouched("tv", STREAM);
    await tv.frame.locator("#to-channels:not([hidden])").waitFor({ state: "attached" });
    await ui.page.keyboard.press("Enter");
    await same(async () => [(await tv.video()).isMuted, await isListOpen(tv)], [false, false]);
    await ui.page.keyboard.press("ArrowUp"); // the buttons are there, and none has the focus
    await tv.frame.evaluate(() => (document.activeElement as HTMLElement).blur());
    await ui.page.keyboard.press("Enter");
    await same(() => isListOpen(tv), true);
  },
  CHANNELS,
);
