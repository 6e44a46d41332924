/** What each player shows and does, by its address. */
import { strict as assert } from "node:assert";
import { SIZES } from "../support/browser.ts";
import { PlayerPage } from "../support/player_page.ts";
import { FAILED_REQUESTS, playerTest, STREAM } from "../support/player_ui.ts";
import { uiTest } from "../support/ui.ts";
import { same, until } from "../support/same.ts";
import { inSoak } from "../support/soak.ts";

/** The buttons fade in and out for 0.25 s, which screenshots are not to catch. */
const STILL = { context: { reducedMotion: "reduce" } } as const;

playerTest(
  `tv: fills the screen, and has no fault axe-core finds`,
  async ({ page, url }) => {
    const player = new PlayerPage(page, url);
    await player.open("tv", STREAM);
    await player.untilPlaying();
    await same(() => player.back.count(), 1);
    for (const [name, size] of Object.entries(SIZES)) {
      await page.setViewportSize(size);
      await page.mouse.move(size.width / 2, size.height / 2);
      await same(() => player.frame.locator("video").boundingBox(), { x: 0, y: 0, ...size });
      await player.screenshot(`player-tv-${name}`);
    }
    await same(() => declaredHeights(player), /100dvh/);
    await same(() => player.problems(), []);
  },
  STILL,
);

uiTest(
  `tv: a stopped channel says so, and has no fault axe-core finds`,
  async ({ page, url, app }) => {
    const player = new PlayerPage(page, url);
    await player.open("tv", STREAM);
    await player.untilMessage(/^This channel is stopped\. OK starts it\.$/);
    await player.screenshot(`player-tv-stopped`);
    await same(() => player.problems(), []);
    // the list and the message are beside each other
    const list = player.frame.locator("#channels");
    await player.frame.locator("#to-channels:not([hidden])").waitFor({ state: "attached" });
    await player.send("Guide", 458);
    await list.waitFor();
    for (const size of [{ width: 1280, height: 720 }, { width: 1920, height: 1080 }]) {
      await page.setViewportSize(size);
      const [left, right] = [
        await list.boundingBox(),
        await player.frame.locator("#message").boundingBox(),
      ];
      assert.ok(
        left!.x + left!.width <= right!.x && right!.x + right!.width <= size.width,
        `${size.width}`,
      );
      await player.screenshot(`player-tv-list-${size.width}`);
    }
    await player.send("Escape", 27);
    await list.waitFor({ state: "hidden" });
    await page.keyboard.press("Enter");
    await until(
      "the service to start it",
      async () => (await app.api("GET", "/api/streams/clock")).json.desiredState === "running",
    );
  },
  { streams: [{ name: "Clock" }, { name: "News" }], ...STILL, mayLog: /404|502|ERR_/ },
);
/** The heights that the style sheets give the video, and to what the frames are in. */
function declaredHeights(player: PlayerPage): Promise<string> {
  return player.page.evaluate(() =>
    [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
      .filter((rule): rule is CSSStyleRule => rule instanceof CSSStyleRule)
      .filter(({ selectorText }) => selectorText === "video" || selectorText === ".player-frames")
      .map(({ style }) => style.height).join()
  );
}

playerTest(
  `minimal: plays natively where hls.js cannot`,
  async ({ page, url }) => {
    const player = new PlayerPage(page, url);
    await page.addInitScript(() => {
      for (const name of ["MediaSource", "ManagedMediaSource", "WebKitMediaSource"]) {
        Object.defineProperty(globalThis, name, { value: undefined });
      }
      const calls: string[] = [];
      Object.assign(globalThis, { calls });
      const { canPlayType, play } = HTMLMediaElement.prototype;
      HTMLMediaElement.prototype.canPlayType = function (type) {
        return /mpegurl/i.test(type) ? "maybe" : canPlayType.call(this, type);
      };
      HTMLMediaElement.prototype.play = function () {
        calls.push(`play ${this.getAttribute("src")}`);
        return play.call(this);
      };
    });
    await player.open("minimal", STREAM);
    await until("the source", async () => (await player.video()).src !== "");
    const { src } = await player.video();
    assert.match(src, /\/live\/clock\/index\.m3u8$/);
    const calls = await player.frame.evaluate(() => (globalThis as unknown as { calls: string[] }).calls);
    assert.ok(calls.includes(`play ${src}`), calls.join());
  },
  { mayLog: FAILED_REQUESTS },
);

inSoak(playerTest)(
  `minimal: gives up a request by its own timer, without AbortSignal.timeout`,
  async (ui) => {
    const { page } = ui;
    const player = new PlayerPage(page, ui.url);
    await page.clock.install();
    await page.addInitScript(() => {
      Object.defineProperty(AbortSignal, "timeout", { value: undefined });
    });
    let givenUp = 0;
    page.on("requestfailed", (request) => {
      if (request.url().endsWith("/statuses")) givenUp++;
    });
    await page.route("**/api/streams/statuses", () => {}); // never answered
    await player.open("minimal", STREAM);
    await until("the request", () => player.attempts() === 1);
    await page.clock.runFor(2000);
    assert.equal(givenUp, 0);
    await page.clock.runFor(3500);
    await until("the request to be given up", () => givenUp === 1);
    await player.untilMessage(/cannot be reached/);
    await page.unroute("**/api/streams/statuses");
    await page.clock.runFor(3000);
    await player.untilPlaying();
  },
  { mayLog: FAILED_REQUESTS },
);
