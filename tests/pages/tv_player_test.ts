/** What only the TV player has: buttons, keys of a remote control, sound at the first try, and the direct way. */
import { strict as assert } from "node:assert";
import { PLAYER_NAMES, PlayerPage } from "../support/player_page.ts";
import { FAILED_REQUESTS, playerTest, STREAM } from "../support/player_ui.ts";
import { same, until } from "../support/same.ts";
import { inSoak, unlessUsual } from "../support/soak.ts";

const WITH_BUTTONS = ["tv", "framed"] as const;
const GIVEN_UP = { mayLog: FAILED_REQUESTS };

for (const which of PLAYER_NAMES) {
  unlessUsual(which === "minimal", playerTest)(
    `${which}: without a gesture it plays muted, and says how to turn the sound on`,
    async (ui) => {
      const player = new PlayerPage(ui.page, ui.url);
      await ui.page.clock.install();
      await player.openUntouched(which, STREAM);
      await player.untilMessage(/Sound is off/);
      await player.untilPlaying();
      await same(async () => (await player.video()).isMuted, true);
      if (which !== "minimal") await same(() => player.mute.innerText(), "Unmute");
      await player.screenshot(`player-${which}-muted`);
      await ui.page.clock.runFor(5000);
      await same(async () => /Sound is off/.test(await player.message()), false);
    },
  );

  for (const gesture of ["OK", "a click"]) {
    unlessUsual(gesture === "OK" && which === "tv", playerTest)(
      `${which}: ${gesture} turns the sound on`,
      async ({ page, url }) => {
        const player = new PlayerPage(page, url);
        await player.openUntouched(which, STREAM);
        if (gesture === "OK") await page.keyboard.press("Enter");
        else await page.mouse.click(700, 500);
        await until("sound", async () => !(await player.video()).isMuted);
        await same(async () => (await player.video()).isPaused, false);
      },
    );
  }
}

inSoak(playerTest)("Unmute turns the sound on, and a choice is kept", async ({ page, url }) => {
  const tv = new PlayerPage(page, url);
  await tv.openUntouched("tv", STREAM);
  await tv.click(tv.mute);
  await same(async () => (await tv.video()).isMuted, false);
  await same(() => tv.mute.innerText(), "Mute");
  await tv.click(tv.mute);
  await same(async () => (await tv.video()).isMuted, true);
  await same(() => tv.mute.innerText(), "Unmute");
  await page.reload();
  await tv.find();
  await tv.untilPlaying();
  await same(async () => (await tv.video()).isMuted, true);
  await same(() => tv.message(), "", "who chose silence needs no hint");
});

for (const which of WITH_BUTTONS) {
  inSoak(playerTest)(
    `${which}: takes the stream from the media server where it can`,
    async ({ watch, channel }) => {
      const tv = await watch(which);
      const media = tv.requests.filter((url) => /\.(m3u8|ts)$/.test(url));
      assert.ok(media.length > 2 && media.every((url) => url.startsWith(`${channel.origin}/`)), media.join());
    },
  );
}

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
