/** What each player shows and does, by its address. */
import { strict as assert } from "node:assert";
import { launchBrowser, openPage, SIZES } from "../support/browser.ts";
import { PLAYER_NAMES, PlayerPage, PLAYERS } from "../support/player_page.ts";
import { FAILED_REQUESTS, playerTest, STREAM } from "../support/player_ui.ts";
import { uiTest } from "../support/ui.ts";
import { same, until } from "../support/same.ts";
import { inSoak, unlessUsual } from "../support/soak.ts";

/** Players with a page of their own: the third shows the TV player's in a frame. */
const HTML_PLAYERS = ["minimal", "tv"] as const;
/** The buttons fade in and out for 0.25 s, which screenshots are not to catch. */
const STILL = { context: { reducedMotion: "reduce" } } as const;

for (const which of PLAYER_NAMES) {
  unlessUsual(which === "tv", playerTest)(
    `${which}: fills the screen, and has no fault axe-core finds`,
    async ({ page, url }) => {
      const player = new PlayerPage(page, url);
      await player.open(which, STREAM);
      await player.untilPlaying();
      await same(() => player.back.count(), which === "minimal" ? 0 : 1);
      for (const [name, size] of Object.entries(SIZES)) {
        await page.setViewportSize(size);
        await page.mouse.move(size.width / 2, size.height / 2);
        await same(() => player.frame.locator("video").boundingBox(), { x: 0, y: 0, ...size });
        await player.screenshot(`player-${which}-${name}`);
      }
      await same(() => declaredHeights(player), /100dvh/);
      await same(() => player.problems(), []);
    },
    STILL,
  );

  unlessUsual(which === "tv", uiTest)(
    `${which}: a stopped channel says so, and has no fault axe-core finds`,
    async ({ page, url, app }) => {
      const player = new PlayerPage(page, url);
      await player.open(which, STREAM);
      const offer = which === "tv" ? "OK starts it" : "An operator can start it";
      await player.untilMessage(new RegExp(`^This channel is stopped\\. ${offer}\\.$`));
      await player.screenshot(`player-${which}-stopped`);
      await same(() => player.problems(), []);
      if (which !== "tv") return;
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
}

/** How proxies in front of the service answer a script whose person they have signed out. */
const PROXY_ANSWERS = [
  { status: 200, contentType: "text/html", body: "<h1>Sign in</h1>" },
  { status: 401, json: { error: { message: "Unauthorized" } } },
  { status: 403, contentType: "text/plain", body: "Forbidden" },
  { status: 302, headers: { location: "http://login.invalid/" } },
];

for (const [what, path, asked] of [["a player", "/static/clock", "statuses"], ["a wall", "", "view"]]) {
  inSoak(uiTest)(
    `${what} says that a proxy has signed its viewer out, and what helps`,
    async ({ page, app, url }) => {
      const { json: wall } = await app.api("POST", "/api/walls", { name: "Lobby", rows: 1, columns: 1 });
      await page.clock.install();
      await page.goto(url + (path || `/wall?layout=${wall.id}`));
      const says = async (text: RegExp) =>
        await until(String(text), async () => {
          await page.clock.runFor(1000);
          return text.test(await page.locator("#message").textContent() ?? "");
        });
      await says(/This channel is stopped|This wall is empty/);
      for (const answer of PROXY_ANSWERS) {
        await page.route(`**/${asked}`, (route) => route.fulfill(answer));
        await says(/^The proxy has signed you out\. Log in again$/);
        await page.unroute(`**/${asked}`);
        await says(/This channel is stopped|This wall is empty/);
      }
      await page.route(`**/${asked}`, (route) => route.fulfill(PROXY_ANSWERS[0]));
      const link = page.getByRole("link", { name: "Log in again" });
      await says(/signed you out/);
      await same(() => link.evaluate((one: HTMLAnchorElement) => one.href), page.url());
    },
    { streams: [{ name: "Clock" }], mayLog: FAILED_REQUESTS },
  );
}

/** The heights that the style sheets give the video, and to what the frames are in. */
function declaredHeights(player: PlayerPage): Promise<string> {
  return player.page.evaluate(() =>
    [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules])
      .filter((rule): rule is CSSStyleRule => rule instanceof CSSStyleRule)
      .filter(({ selectorText }) => selectorText === "video" || selectorText === ".player-frames")
      .map(({ style }) => style.height).join()
  );
}

inSoak(playerTest)("every player starts with sound where the browser allows it", async ({ url }) => {
  await using browser = await launchBrowser("--autoplay-policy=no-user-gesture-required");
  for (const which of PLAYER_NAMES) {
    const { page } = await openPage(browser);
    const player = new PlayerPage(page, url);
    await player.openUntouched(which, STREAM);
    await player.untilPlaying();
    await same(async () => (await player.video()).isMuted, false, which);
    await page.context().close();
  }
});

for (const which of HTML_PLAYERS) {
  unlessUsual(which === "minimal", playerTest)(
    `${which}: plays natively where hls.js cannot`,
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
      await player.open(which, STREAM);
      await until("the source", async () => (await player.video()).src !== "");
      const { src } = await player.video();
      assert.match(src, /\/live\/clock\/index\.m3u8$/);
      const calls = await player.frame.evaluate(() => (globalThis as unknown as { calls: string[] }).calls);
      assert.ok(calls.includes(`play ${src}`), calls.join());
    },
    { mayLog: FAILED_REQUESTS },
  );

  inSoak(playerTest)(
    `${which}: gives up a request by its own timer, without AbortSignal.timeout`,
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
      await player.open(which, STREAM);
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

  inSoak(playerTest)(
    `${which}: a slow first picture is no stall`,
    async ({ page, url, channel }) => {
      const player = new PlayerPage(page, url);
      await page.clock.install();
      const release = channel.blockSegments();
      await player.open(which, STREAM);
      await until(
        "a segment to be asked for",
        () => player.requests.some((one) => one.endsWith(".ts")),
      );
      await player.run(30_000);
      await same(async () => [player.attempts(), (await player.video()).time], [1, 0]);
      await player.untilMessage(/Waiting for the picture/);
      release();
      await player.untilPlaying();
    },
    { mayLog: FAILED_REQUESTS },
  );

  inSoak(playerTest)(
    `${which}: a stopped channel plays when it starts, and says so when it stops`,
    async (ui) => {
      const { app, channel } = ui;
      channel.freeze();
      await app.api("POST", `/api/streams/${STREAM}/stop`);
      const player = new PlayerPage(ui.page, ui.url);
      await ui.page.clock.install();
      await player.open(which, STREAM);
      await player.untilMessage(/This channel is stopped/);
      await app.api("POST", `/api/streams/${STREAM}/start`);
      channel.thaw();
      await player.runUntilPlaying(4000);
      await app.api("POST", `/api/streams/${STREAM}/stop`);
      channel.freeze();
      await player.run(15_000);
      await player.untilMessage(/This channel is stopped/);
    },
    { mayLog: FAILED_REQUESTS },
  );
}

inSoak(uiTest)("an unknown stream's page has no fault axe-core finds", async ({ page, url }) => {
  for (const path of Object.values(PLAYERS)) {
    await page.goto(url + path("nobody"));
    await same(() => new PlayerPage(page, url).problems(), []);
  }
}, { mayLog: /404 \(Not Found\)/ });
