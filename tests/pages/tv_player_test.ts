/** What only the TV player has: buttons, keys of a remote control, sound at the first try, and the direct way. */
import { strict as assert } from "node:assert";
import { PlayerPage } from "../support/player_page.ts";
import { FAILED_REQUESTS, playerTest, STREAM } from "../support/player_ui.ts";
import { same, until } from "../support/same.ts";
import { inSoak } from "../support/soak.ts";

const GIVEN_UP = { mayLog: FAILED_REQUESTS };

playerTest(
  `minimal: without a gesture it plays muted, and says how to turn the sound on`,
  async (ui) => {
    const player = new PlayerPage(ui.page, ui.url);
    await ui.page.clock.install();
    await player.openUntouched("minimal", STREAM);
    await player.untilMessage(/Sound is off/);
    await player.untilPlaying();
    await same(async () => (await player.video()).isMuted, true);
    await player.screenshot(`player-minimal-muted`);
    await ui.page.clock.runFor(5000);
    await same(async () => /Sound is off/.test(await player.message()), false);
  },
);

playerTest("tv: OK turns the sound on", async ({ page, url }) => {
  const player = new PlayerPage(page, url);
  await player.openUntouched("tv", STREAM);
  await page.keyboard.press("Enter");
  await until("sound", async () => !(await player.video()).isMuted);
  await same(async () => (await player.video()).isPaused, false);
});

playerTest("minimal: takes the stream from the proxy alone", async ({ watch, url }) => {
  const { requests } = await watch("minimal");
  assert.ok(requests.every((one) => one.startsWith(url) || one.startsWith("blob:")), requests.join());
});

for (const fault of ["refuses", "is silent"] as const) {
  inSoak(playerTest)(
    `takes the proxy when the media server ${fault}, and remembers that`,
    async (ui) => {
      const { page, url, channel } = ui;
      const tv = new PlayerPage(page, url);
      await page.route(`${channel.origin}/**`, (route) => fault === "refuses" ? route.abort() : undefined);
      const seen: string[] = [];
      page.on("request", (request) => {
        if (request.url().startsWith(channel.origin)) seen.push("direct");
        if (request.url().split("?")[0] === `${url}/api/hls/live/clock/index.m3u8`) seen.push("proxy");
      });
      page.on(
        "requestfailed",
        (request) => request.url().startsWith(channel.origin) && seen.push("given up"),
      );
      const direct = () => tv.requests.filter((one) => one.startsWith(channel.origin)).length;
      await tv.open("tv", STREAM);
      await tv.untilPlaying();
      assert.deepEqual(seen.slice(0, 3), ["direct", "given up", "proxy"]);
      assert.ok(tv.requests.some((one) => one.startsWith(`${url}/api/hls/`) && one.endsWith(".ts")));
      assert.equal(direct(), 1);
      await page.reload();
      await tv.find();
      await tv.untilPlaying();
      assert.equal(direct(), 1);
    },
    GIVEN_UP,
  );
}

inSoak(playerTest)("the browser holds the TV player to its policy", async ({ page, url, app }) => {
  const tv = new PlayerPage(page, url);
  await tv.open("tv", STREAM);
  const refused = await tv.frame.evaluate(async (port) => {
    const violation = new Promise<string>((done) =>
      document.addEventListener("securitypolicyviolation", (event) => done(event.violatedDirective))
    );
    await fetch(`http://127.0.0.1:${port}/`).catch(() => {});
    return await violation;
  }, app.config.VNC_PROXY_PORT);
  assert.equal(refused, "connect-src");
}, { mayLog: /violates the following Content Security Policy|violates the document's Content Security/ });
