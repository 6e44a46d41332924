/** The player rules of the specification, in every player. */
import { strict as assert } from "node:assert";
import type { Browser, BrowserContextOptions } from "playwright-core";
import { pause, startService, type TestService, until } from "../support/service.ts";
import { launchBrowser, openPage, SIZES } from "../support/browser.ts";
import { CHANNEL, type Player, PLAYER_NAMES, PlayerPage, PLAYERS } from "../support/player_page.ts";

interface Desk {
  service: TestService;
  browser: Browser;
}

const STREAM = "clock";

Deno.test({
  name: "every player follows the player rules",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const service = await startService();
    const browser = await launchBrowser("--autoplay-policy=no-user-gesture-required");
    try {
      await service.create({ ...CHANNEL, name: "Clock" });
      await service.create({ ...CHANNEL, name: "Dark", desiredState: "stopped" });
      await until(
        "the stream to run",
        30_000,
        async () => (await service.status(STREAM)).state === "running",
      );
      const desk = { service, browser };
      // one after the other: three videos at once are too many for two cores
      const step = async (name: string, run: (desk: Desk, player: Player) => Promise<void>) => {
        for (const player of PLAYER_NAMES) {
          const full = `${player}: ${name}`;
          assert.ok(await t.step(full, () => run(desk, player)), full);
          for (const context of browser.contexts()) await context.close();
        }
      };
      await t.step("the minimal player has two addresses", () => twoAddresses(service));
      await step("plays with sound, fills the screen, has no fault axe-core finds", plays);
      await step("plays natively where hls.js cannot", native);
      await step("gives up a request by its own timer, without AbortSignal.timeout", timers);
      await step("a slow first picture is no stall", slowStart);
      await step("a picture that stands still is a stall", stall);
      await step("a stopped channel says so, and plays when it starts", stopped);
      await step("an unknown stream is a page that says so", unknown);
    } finally {
      await browser.close();
      await service.stop();
    }
  },
});

async function openPlayer(
  { service, browser }: Desk,
  options: BrowserContextOptions = {},
): Promise<{ player: PlayerPage; errors: string[] }> {
  const { page, errors } = await openPage(browser, options);
  return { player: new PlayerPage(page, service.url), errors };
}

async function twoAddresses(service: TestService) {
  for (const id of [STREAM, "nobody"]) {
    const answers = await Promise.all(
      [`/player/${id}.html`, `/api/player-html/${id}`].map((path) => service.api("GET", path)),
    );
    const pages = await Promise.all(answers.map((answer) => answer.text()));
    assert.equal(pages[0], pages[1]);
    assert.deepEqual(answers.map(({ status }) => status), id === STREAM ? [200, 200] : [404, 404]);
    assert.match(answers[1].headers.get("content-type")!, /^text\/html/);
  }
}

async function plays(desk: Desk, which: Player) {
  const { player, errors } = await openPlayer(desk);
  await player.open(which, STREAM);
  await player.untilPlaying();
  assert.equal((await player.video()).isMuted, false);
  const written = await player.page.request.get(player.frame.url());
  assert.match(await written.text(), /<video[^>]*\smuted\s/, "the element carries muted");
  assert.equal(await player.back.count(), which === "tv" || which === "framed" ? 1 : 0);
  for (const [name, size] of Object.entries(SIZES)) {
    await player.page.setViewportSize(size);
    await player.page.mouse.move(size.width / 2, size.height / 2);
    const box = await player.frame.locator("video").boundingBox();
    assert.deepEqual(box, { x: 0, y: 0, ...size });
    await pause(400); // the buttons fade in
    await player.screenshot(`player-${which}-${name}`);
  }
  assert.match(await declaredHeights(player), /100dvh/);
  assert.deepEqual(await player.problems(), []);
  assert.deepEqual(errors, []);
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

async function native(desk: Desk, which: Player) {
  const { player } = await openPlayer(desk);
  await player.page.addInitScript(() => {
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
  await until("the source", 10_000, async () => (await player.video()).src !== "");
  const { src } = await player.video();
  assert.match(src, /\/live\/clock\/index\.m3u8$/);
  const calls = await player.frame.evaluate(() => (globalThis as unknown as { calls: string[] }).calls);
  assert.ok(calls.includes(`play ${src}`), calls.join());
}

async function timers(desk: Desk, which: Player) {
  const { player } = await openPlayer(desk);
  await player.page.clock.install();
  await player.page.addInitScript(() => {
    Object.defineProperty(AbortSignal, "timeout", { value: undefined });
  });
  const given: string[] = [];
  player.page.on("requestfailed", (request) => given.push(request.url()));
  await player.page.route("**/api/streams/statuses", () => {}); // never answered
  await player.open(which, STREAM);
  await until("the request", 5000, () => player.attempts() === 1);
  await player.page.clock.runFor(2000);
  assert.equal(given.filter((url) => url.endsWith("/statuses")).length, 0);
  await player.page.clock.runFor(3500);
  await until("the request to be given up", 3000, () => given.some((url) => url.endsWith("/statuses")));
  await player.untilMessage(/cannot be reached/);
  await player.page.unroute("**/api/streams/statuses");
  await player.page.clock.runFor(3000);
  await player.untilPlaying();
}

async function slowStart(desk: Desk, which: Player) {
  const { player } = await openPlayer(desk);
  await player.page.clock.install();
  let held: (() => void)[] | null = [];
  await player.page.route(/\.ts$/, async (route) => {
    if (held) await new Promise<void>((done) => held!.push(done));
    await route.continue().catch(() => {}); // hls.js gave it up meanwhile
  });
  await player.open(which, STREAM);
  await until("a segment to be asked for", 10_000, () => held!.length > 0);
  for (let second = 0; second < 30; second++) {
    await player.page.clock.runFor(1000);
    await pause(20);
  }
  assert.deepEqual([player.attempts(), (await player.video()).time], [1, 0]);
  await player.untilMessage(/Waiting for the picture/);
  held.forEach((go) => go());
  held = null;
  await player.untilPlaying();
}

async function stall(desk: Desk, which: Player) {
  const { player } = await openPlayer(desk);
  await player.open(which, STREAM);
  await player.untilPlaying();
  assert.equal(player.attempts(), 1);
  let frozen: string | null = null;
  await player.page.route("**/index.m3u8", async (route) => {
    frozen ??= await (await route.fetch()).text();
    await route.fulfill({ body: frozen, contentType: "application/vnd.apple.mpegurl" });
  });
  await until("a new attempt", 15_000, () => player.attempts() > 1);
  await player.untilMessage(/Waiting for the picture/);
  // a playlist that still ends where it did is not played again and again
  await pause(4000);
  assert.equal((await player.video()).time, 0);
  await player.page.unroute("**/index.m3u8");
  await player.untilPlaying();
}

async function stopped(desk: Desk, which: Player) {
  const { service } = desk;
  const { player, errors } = await openPlayer(desk);
  await player.open(which, "dark");
  await player.untilMessage(/This channel is stopped/);
  await player.screenshot(`player-${which}-stopped`);
  assert.deepEqual(await player.problems(), []);
  assert.deepEqual(errors, []);
  await (await service.api("POST", "/api/streams/dark/start")).body?.cancel();
  await player.untilPlaying();
  await (await service.api("POST", "/api/streams/dark/stop")).body?.cancel();
  await player.untilMessage(/This channel is stopped/, 30_000);
}

async function unknown({ service, browser }: Desk, which: Player) {
  const { page } = await openPage(browser);
  const player = new PlayerPage(page, service.url);
  for (const id of ["nobody", "__proto__", "%3Cb%3E"]) {
    const answer = await page.goto(service.url + PLAYERS[which](id));
    assert.equal(answer!.status(), 404);
    assert.equal(await page.getByRole("heading").innerText(), "No such channel");
    assert.ok((await page.locator("main").innerText()).includes(`“${decodeURIComponent(id)}”`));
  }
  assert.deepEqual(await player.problems(), []);
}
