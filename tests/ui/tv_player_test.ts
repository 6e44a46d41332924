/** What only the TV player has: buttons, keys of a remote control, sound at the first try, and the direct way. */
import { strict as assert } from "node:assert";
import type { Browser } from "playwright-core";
import { pause, startService, type TestService, until } from "../support/service.ts";
import { launchBrowser, openPage } from "../support/browser.ts";
import { Finger } from "../support/finger.ts";
import { CHANNEL, type Player, PlayerPage } from "../support/player_page.ts";

interface Desk {
  service: TestService;
  browser: Browser;
}

const STREAM = "clock";

Deno.test({
  name: "the TV player works with a remote control, a finger and a mouse",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const service = await startService();
    // as browsers are set: no sound before the first gesture
    const browser = await launchBrowser("--autoplay-policy=document-user-activation-required");
    try {
      await service.create({ ...CHANNEL, name: "Clock" });
      await until(
        "the stream to run",
        30_000,
        async () => (await service.status(STREAM)).state === "running",
      );
      const step = async (name: string, run: (desk: Desk) => Promise<void>) => {
        assert.ok(await t.step(name, () => run({ service, browser })), name);
        for (const context of browser.contexts()) await context.close();
      };
      await step(
        "the buttons go after 5 s and return on movement, key and touch",
        (desk) => hide(desk, "tv"),
      );
      await step("also in the frame of the player page", (desk) => hide(desk, "framed"));
      await step("a tap that brings the buttons back presses none", taps);
      await step("without a gesture it plays muted, and says how to turn the sound on", mutedStart);
      await step("OK, a click and Unmute turn the sound on; a choice is kept", soundOn);
      await step("arrows, OK and media keys", keys);
      await step("Back leads to the streams, from wherever one came", back);
      await step("takes the stream from the media server where it can", direct);
      await step("takes the proxy at once where it is refused, and after 1.5 s of silence", viaProxy);
      await step("may reach its own host's media server and nothing else", policy);
    } finally {
      await browser.close();
      await service.stop();
    }
  },
});

async function openTv({ service, browser }: Desk, options = {}): Promise<PlayerPage> {
  const { page } = await openPage(browser, options);
  return new PlayerPage(page, service.url);
}

async function hide(desk: Desk, which: Player) {
  const tv = await openTv(desk, { hasTouch: true });
  await tv.page.clock.install();
  await tv.open(which, STREAM);
  const expectHiddenAfter5s = async () => {
    await tv.page.clock.runFor(4900);
    await pause(300);
    assert.ok(await tv.back.isVisible() && await tv.mute.isVisible(), "still there after 4.9 s");
    await tv.page.clock.runFor(100);
    await tv.untilHidden(tv.back);
    await tv.untilHidden(tv.mute);
  };
  const expectBack = async () => {
    await tv.untilShown(tv.back);
    await tv.untilShown(tv.mute);
  };
  await tv.untilReady();
  await tv.page.clock.pauseAt(Date.now() + 60_000);
  await tv.page.mouse.move(300, 300);
  await expectBack();
  await expectHiddenAfter5s();

  await tv.page.mouse.move(500, 400);
  await expectBack();
  await tv.page.mouse.move(600, 400, { steps: 3 });
  await expectHiddenAfter5s();

  await tv.page.keyboard.press("ArrowUp");
  await expectBack();
  await expectHiddenAfter5s();

  const finger = await Finger.on(tv.page);
  await finger.down(640, 450);
  await expectBack();
  await finger.up();
  await expectHiddenAfter5s();

  // the keyboard finds the buttons, and they do not keep the focus when they go
  await tv.page.keyboard.press("Tab");
  await expectBack();
  await tv.frame.locator("#back:focus").waitFor();
  await expectHiddenAfter5s();
  assert.equal(await tv.frame.evaluate(() => document.activeElement === document.body), true);

  // a mouse left on a button neither keeps the buttons nor brings them back
  const { x, y, width } = (await tv.mute.boundingBox())!;
  await tv.page.mouse.move(x + width / 2, y + 10);
  await expectBack();
  await expectHiddenAfter5s();
  await pause(1000);
  assert.equal(await tv.mute.isVisible(), false);
}

async function taps(desk: Desk) {
  const tv = await openTv(desk, { hasTouch: true });
  await tv.page.clock.install();
  await tv.open("tv", STREAM);
  await tv.untilReady();
  await tv.page.clock.runFor(6000);
  await tv.untilHidden(tv.back);
  const { x, y, width, height } = (await tv.back.boundingBox())!;
  await tv.page.touchscreen.tap(x + width / 2, y + height / 2);
  await tv.untilShown(tv.back);
  await pause(500);
  assert.equal(new URL(tv.page.url()).pathname, "/static/clock");
  await tv.page.clock.runFor(2000);
  await tv.page.touchscreen.tap(x + width / 2, y + height / 2);
  await tv.page.waitForURL(`${desk.service.url}/`);
}

async function mutedStart(desk: Desk) {
  for (const which of ["minimal", "tv", "framed"] as const) {
    const player = await openTv(desk);
    await player.openUntouched(which, STREAM);
    await player.untilMessage(/Sound is off/);
    await player.untilPlaying();
    assert.equal((await player.video()).isMuted, true);
    if (which !== "minimal") assert.equal(await player.mute.innerText(), "Unmute");
    await player.screenshot(`player-${which}-muted`);
    await player.untilMessage(/^$/);
    await player.page.context().close();
  }
}

async function soundOn(desk: Desk) {
  for (const which of ["minimal", "tv", "framed"] as const) {
    for (const gesture of ["Enter", "click"]) {
      const player = await openTv(desk);
      await player.openUntouched(which, STREAM);
      await player.untilPlaying();
      if (gesture === "click") await player.page.mouse.click(700, 500);
      else await player.page.keyboard.press(gesture);
      await until("sound", 3000, async () => !(await player.video()).isMuted);
      assert.equal((await player.video()).isPaused, false);
      await player.page.context().close();
    }
  }
  const tv = await openTv(desk);
  await tv.openUntouched("tv", STREAM);
  await tv.untilPlaying();
  await tv.click(tv.mute);
  assert.equal((await tv.video()).isMuted, false);
  assert.equal(await tv.mute.innerText(), "Mute");
  await tv.click(tv.mute);
  assert.equal((await tv.video()).isMuted, true);
  assert.equal(await tv.mute.innerText(), "Unmute");
  await tv.page.reload();
  await tv.find();
  await tv.untilPlaying();
  assert.equal((await tv.video()).isMuted, true);
  assert.equal(await tv.message(), "", "who chose silence needs no hint");
}

async function keys(desk: Desk) {
  for (const which of ["tv", "framed"] as const) {
    const tv = await openTv(desk);
    await tv.page.clock.install();
    await tv.openUntouched(which, STREAM);
    await tv.untilPlaying();
    const press = (key: string) => tv.page.keyboard.press(key);
    const focused = () => tv.frame.evaluate(() => document.activeElement!.id);
    const isMuted = async () => (await tv.video()).isMuted;

    await press("ArrowLeft");
    assert.equal(await focused(), "back");
    await press("ArrowRight");
    assert.equal(await focused(), "mute");
    assert.equal(await isMuted(), true, "looking at the buttons changes nothing");
    await press("Enter");
    assert.equal(await isMuted(), false);
    await press(" ");
    assert.equal(await isMuted(), true);

    // OK on hidden buttons only brings them back, at the one that was chosen
    await tv.page.clock.runFor(6000);
    await tv.untilHidden(tv.mute);
    await press("Enter");
    await tv.untilShown(tv.mute);
    assert.deepEqual([await focused(), await isMuted()], ["mute", true]);
    await press("Enter");
    assert.equal(await isMuted(), false);

    await press("ArrowDown");
    assert.equal((await tv.video()).volume, 0.9);
    assert.equal(await tv.message(), "Volume 90 %");
    await press("ArrowUp");
    assert.equal((await tv.video()).volume, 1);
    await tv.send("AudioVolumeMute", 0);
    assert.equal(await isMuted(), true);
    await tv.send("Unidentified", 449);
    assert.equal(await isMuted(), false);

    await tv.untilPlaying(); // the 6 s without a new picture were a stall
    const isPaused = async () => (await tv.video()).isPaused;
    for (
      const [key, code] of [["MediaPlayPause", 0], ["Unidentified", 10252], ["MediaStop", 0], [
        "",
        19,
      ]] as const
    ) {
      await tv.send(key, code);
      assert.equal(await isPaused(), true, `${key} ${code}`);
      await tv.untilMessage(/Paused/);
      await tv.page.clock.runFor(30_000); // it stays so
      assert.equal(await isPaused(), true);
      const attempts = tv.attempts();
      if (key === "MediaStop") await tv.send("Enter", 13);
      else await tv.send("MediaPlay", 415);
      await tv.untilPlaying();
      assert.equal(tv.attempts(), attempts + 1, "it goes on at the newest picture");
    }
    await tv.send("Unidentified", 461);
    await tv.page.waitForURL(`${desk.service.url}/`);
    await tv.page.context().close();
  }
}

async function back(desk: Desk) {
  const { service, browser } = desk;
  const board = `${service.url}/`;
  const leaving: [string, number][] = [
    ["GoBack", 0],
    ["BrowserBack", 166],
    ["XF86Back", 10009],
    ["Escape", 27],
    ["Backspace", 8],
  ];
  for (const [key, keyCode] of leaving) {
    for (const which of ["tv", "framed"] as const) {
      const tv = await openTv(desk);
      await tv.open(which, STREAM);
      await tv.untilReady();
      await tv.send(key, keyCode);
      await tv.page.waitForURL(board);
      await tv.page.context().close();
    }
  }
  for (const which of ["tv", "framed"] as const) {
    const tv = await openTv(desk);
    await tv.open(which, STREAM);
    await tv.click(tv.back);
    await tv.page.waitForURL(board);
    await tv.page.context().close();
  }

  // from the board and back to it, as it was left; in a tab of its own, that tab goes
  for (
    const [link, isNewTab] of [["Play", false], ["HTML", false], ["Play", true], ["HTML", true]] as const
  ) {
    const { page } = await openPage(browser);
    await page.goto(board);
    await page.evaluate(
      (openNewTab) => localStorage.setItem("global-prefs", JSON.stringify({ openNewTab })),
      isNewTab,
    );
    await page.goto(`${board}?mark`);
    await page.goto(board);
    await page.locator("main[data-ready=true]").waitFor();
    const path = link === "Play" ? "/player/clock" : "/static/clock";
    const opening = isNewTab ? page.context().waitForEvent("page") : null;
    await page.locator(`a.action[href="${path}"]`).click();
    const tv = new PlayerPage(opening ? await opening : page, service.url);
    await tv.page.waitForURL(service.url + path);
    await tv.find();
    await tv.untilShown(tv.back);
    if (isNewTab) {
      const closed = tv.page.waitForEvent("close");
      await tv.click(tv.back).catch(() => {}); // the tab may be gone before the click is
      await closed;
      assert.deepEqual(page.context().pages(), [page]);
    } else {
      await tv.click(tv.back);
      await tv.page.waitForURL(board);
      const length = await page.evaluate(() => history.length);
      await page.goForward();
      await page.waitForURL(service.url + path);
      assert.equal(
        await page.evaluate(() => history.length),
        length,
        "back in the history, not one page more",
      );
      await pause(1000);
      assert.equal(new URL(page.url()).pathname, path, "and it stays");
    }
    await page.context().close();
  }
}

async function direct(desk: Desk) {
  for (const which of ["tv", "framed"] as const) {
    const tv = await openTv(desk);
    await tv.open(which, STREAM);
    await tv.untilPlaying();
    const media = tv.requests.filter((url) => /\.(m3u8|ts)$/.test(url));
    assert.ok(media.length > 2 && media.every((url) => url.startsWith(`${desk.service.mediaUrl}/`)));
    await tv.page.context().close();
  }
  const minimal = await openTv(desk);
  await minimal.open("minimal", STREAM);
  await minimal.untilPlaying();
  assert.ok(minimal.requests.every((url) => url.startsWith(desk.service.url) || url.startsWith("blob:")));
}

async function viaProxy(desk: Desk) {
  for (const fault of ["refused", "silent"] as const) {
    const tv = await openTv(desk);
    const { mediaUrl, url } = desk.service;
    await tv.page.route(`${mediaUrl}/**`, (route) => fault === "refused" ? route.abort() : undefined);
    let asked = 0, answered = 0, givenUp = false;
    tv.page.on("request", (request) => {
      if (request.url().startsWith(mediaUrl)) asked = performance.now();
      if (request.url() === `${url}/api/hls/live/clock/index.m3u8`) answered ||= performance.now();
    });
    tv.page.on("requestfailed", (request) => givenUp ||= request.url().startsWith(mediaUrl));
    await tv.open("tv", STREAM);
    await tv.untilPlaying();
    assert.ok(givenUp);
    const waited = answered - asked;
    assert.ok(fault === "refused" ? waited < 1000 : waited > 1400 && waited < 3000, `${fault}: ${waited} ms`);
    assert.ok(tv.requests.some((one) => one.startsWith(`${url}/api/hls/`) && one.endsWith(".ts")));

    const before = tv.requests.filter((one) => one.startsWith(mediaUrl)).length;
    assert.equal(before, 1);
    await tv.page.reload();
    await tv.find();
    await tv.untilPlaying();
    assert.equal(tv.requests.filter((one) => one.startsWith(mediaUrl)).length, 1, "remembered");
    await tv.page.context().close();
  }
}

async function policy(desk: Desk) {
  const { service } = desk;
  const answer = await service.api("GET", "/static/clock");
  await answer.body?.cancel();
  const rules = answer.headers.get("content-security-policy")!.split("; ");
  assert.ok(rules.includes(`connect-src 'self' ${service.mediaUrl}`), rules.join());
  assert.ok(rules.includes(`media-src 'self' blob: ${service.mediaUrl}`), rules.join());
  assert.ok(rules.includes("default-src 'self'") && rules.includes("frame-ancestors 'self'"));
  for (const path of ["/player/clock", "/player/clock.html", "/"]) {
    const other = await service.api("GET", path);
    await other.body?.cancel();
    assert.ok(!other.headers.get("content-security-policy")!.includes(service.env.MEDIA_PORT));
  }
  const tv = await openTv(desk);
  await tv.open("tv", STREAM);
  const refused = await tv.frame.evaluate(async (port) => {
    const violation = new Promise<string>((done) =>
      document.addEventListener("securitypolicyviolation", (event) => done(event.violatedDirective))
    );
    await fetch(`http://127.0.0.1:${port}/`).catch(() => {});
    return await violation;
  }, service.env.VNC_PROXY_PORT);
  assert.equal(refused, "connect-src");
}
