/** The players never give up: whatever breaks, the picture is back by itself. */
import { strict as assert } from "node:assert";
import type { Browser, Page } from "playwright-core";
import { pause, startService, type TestService, until } from "../support/service.ts";
import { launchBrowser, openPage } from "../support/browser.ts";
import { CHANNEL, inEvery, type Player, PLAYER_NAMES, PlayerPage } from "../support/player_page.ts";

interface Desk {
  service: TestService;
  browser: Browser;
}

const STREAM = "clock";
const MINUTE = 60_000;

Deno.test({
  name: "players come back by themselves",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    const service = await startService({
      env: { DEFAULT_RELOAD_CLIENT: "true", DEFAULT_RELOAD_CLIENT_TIME: "15" },
    });
    const browser = await launchBrowser();
    const desk = { service, browser };
    try {
      await service.create({ ...CHANNEL, name: "Clock" });
      await until(
        "the stream to run",
        60_000,
        async () => (await service.status(STREAM)).state === "running",
      );
      const step = async (name: string, run: () => Promise<void>) => {
        assert.ok(await t.step(name, run), name);
        for (const context of browser.contexts()) await context.close();
      };
      await step("encoder, media server and web app killed", () => kills(desk));
      for (const which of PLAYER_NAMES) {
        await step(`${which}: ten minutes without a network`, () => offline(desk, which));
        await step(`${which}: a night asleep`, () => asleep(desk, which));
      }
      await step("an hour's outage costs few requests, and ends within seconds", () => outage(desk));
      await step("a page in the background is left alone", () => background(desk));
      await step("memory is bounded over many new beginnings", () => memory(desk));
      await step("the player page reloads its player behind the one that plays", () => reload(desk));
      await step("and keeps it when the service is away", () => reloadInOutage(desk));
      await step("no reload without the preference", () => noReload(desk));
      await step("a deleted stream says so", () => deleted(desk));
    } finally {
      await browser.close();
      await service.stop();
    }
  },
});

async function openPlayer({ service, browser }: Desk, which: Player, hasClock = true): Promise<PlayerPage> {
  const { page } = await openPage(browser);
  if (hasClock) await page.clock.install();
  const player = new PlayerPage(page, service.url);
  await player.open(which, STREAM);
  await player.untilPlaying();
  return player;
}

/** Lets the page's clock run, with pauses in which answers can arrive. */
async function run(page: Page, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 5000) {
    await page.clock.runFor(5000);
    await pause(15);
  }
}

async function kills(desk: Desk) {
  const { service } = desk;
  const players = await inEvery((which) => openPlayer(desk, which, false));
  // the media server's worker would serve on without its master
  const victims = {
    encoder: /^\/usr\/bin\/ffmpeg.*\/live\/clock/,
    "media server": /^nginx: /,
    "web app": / serve\b/,
  };
  for (const [name, command] of Object.entries(victims)) {
    const pids = service.processes(command);
    assert.ok(pids.length > 0, name);
    for (const pid of pids) Deno.kill(pid, "SIGKILL");
    await until(
      `another ${name}`,
      30_000,
      () => service.processes(command).some((pid) => !pids.includes(pid)),
    );
    // what was loaded before does not count
    await pause(6000);
    await Promise.all(players.map((player) => player.untilPlaying(60_000)));
  }
}

async function offline(desk: Desk, which: Player) {
  const player = await openPlayer(desk, which);
  const { page } = player;
  await page.context().setOffline(true);
  await run(page, MINUTE);
  await player.untilMessage(/The service cannot be reached/);
  const before = player.attempts();
  await run(page, 9 * MINUTE);
  assert.match(await player.message(), /The service cannot be reached/);
  const attempts = player.attempts() - before;
  assert.ok(attempts > 20 && attempts < 60, `${attempts} attempts in 9 minutes`);
  await page.context().setOffline(false);
  await player.untilPlaying();
}

async function asleep(desk: Desk, which: Player) {
  const player = await openPlayer(desk, which);
  const attempts = player.attempts();
  await player.page.clock.fastForward("08:00:00");
  await until("a new beginning", 5000, () => player.attempts() > attempts);
  await player.untilPlaying();
}

/** The network is there, the service is not: nothing tells the browser when to try again. */
async function outage(desk: Desk) {
  const player = await openPlayer(desk, "tv");
  const { page } = player;
  await page.route(/\/(api|live)\//, (route) => route.abort());
  const from = player.requests.length;
  await run(page, 60 * MINUTE);
  await player.untilMessage(/The service cannot be reached/);
  const requests = player.requests.length - from;
  assert.ok(requests > 200 && requests < 450, `${requests} requests in an hour`);
  await page.unroute(/\/(api|live)\//);
  await page.clock.runFor(10_000);
  await player.untilPlaying();
}

async function background(desk: Desk) {
  const player = await openPlayer(desk, "tv");
  const attempts = player.attempts();
  const hide = (isHidden: boolean) =>
    player.frame.evaluate((isHidden) => {
      Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, isHidden);
  await player.frame.locator("video").evaluate((video: HTMLVideoElement) => video.muted = true);
  await hide(true);
  await player.page.clock.runFor(1000);
  // timers of hidden pages are slowed down to one a minute
  for (let minute = 0; minute < 15; minute++) {
    await player.page.clock.fastForward(MINUTE);
    await pause(400);
  }
  assert.equal(player.attempts(), attempts);
  await hide(false);
  await player.untilPlaying();
}

async function memory(desk: Desk) {
  const { page } = await openPage(desk.browser);
  await page.clock.install();
  await page.addInitScript(() => {
    let library: (new (...args: unknown[]) => { destroy(): void }) | undefined;
    const alive = { now: 0, most: 0, ever: 0 };
    Object.assign(globalThis, { alive });
    Object.defineProperty(globalThis, "Hls", {
      get: () => library,
      set: (Hls) => {
        library = class extends Hls {
          constructor(...args: unknown[]) {
            super(...args);
            alive.ever++;
            alive.most = Math.max(alive.most, ++alive.now);
          }
          destroy() {
            alive.now--;
            super.destroy();
          }
        };
      },
    });
  });
  const player = new PlayerPage(page, desk.service.url);
  await player.open("tv", STREAM);
  await player.untilPlaying();
  const client = await page.context().newCDPSession(page);
  const used = async () => {
    await client.send("HeapProfiler.collectGarbage");
    return (await client.send("Runtime.getHeapUsage")).usedSize / 1024 / 1024;
  };
  const again = async (times: number) => {
    for (let time = 0; time < times; time++) {
      await page.clock.fastForward(20_000);
      await player.untilPlaying();
    }
    return await used();
  };
  const early = await again(5);
  const late = await again(20);
  assert.ok(late - early < 2, `${early.toFixed(1)} MiB after 5, ${late.toFixed(1)} MiB after 25`);
  const alive = await page.evaluate(() =>
    (globalThis as unknown as { alive: { most: number; ever: number } }).alive
  );
  assert.equal(alive.most, 1);
  assert.ok(alive.ever > 25);

  await pause(25_000); // longer than what is kept
  const buffered = await player.frame.locator("video").evaluate(({ buffered }: HTMLVideoElement) =>
    Array.from({ length: buffered.length }, (_, at) => buffered.end(at) - buffered.start(at))
      .reduce((sum, part) => sum + part, 0)
  );
  assert.ok(buffered < 15, `${buffered} s are kept`);
}

const frameIds = (page: Page) => page.locator("iframe").evaluateAll((frames) => frames.map(({ id }) => id));

async function reload(desk: Desk) {
  const player = await openPlayer(desk, "framed");
  const { page } = player;
  await page.waitForFunction(() => localStorage.getItem("global-prefs")?.includes('"reloadClientTime":15'));
  await player.page.mouse.click(700, 500); // sound
  await player.click(player.mute);
  assert.deepEqual(await frameIds(page), ["player-0"]);
  let release = () => {};
  const held = new Promise<void>((done) => release = done);
  await page.route("**/static/clock", async (route) => {
    await held;
    await route.continue();
  });
  await page.clock.runFor(14 * MINUTE);
  assert.deepEqual(await frameIds(page), ["player-0"]);
  await page.clock.runFor(MINUTE + 1000);
  await until("the next player", 5000, async () => (await frameIds(page)).length === 2);
  // the one on top goes on until the next one plays
  const top = await page.evaluate(() => document.elementFromPoint(innerWidth / 2, innerHeight / 2)!.id);
  assert.equal(top, "player-0");
  release();
  await until("the change", 20_000, async () => (await frameIds(page)).join() === "player-1");
  await player.find();
  await player.untilPlaying();
  assert.equal((await player.video()).isMuted, true, "the viewer's choice is kept");
  assert.equal(await page.evaluate(() => document.activeElement!.id), "player-1", "keys go to it");
}

async function reloadInOutage(desk: Desk) {
  const player = await openPlayer(desk, "framed");
  const { page } = player;
  await page.route("**/static/clock", (route) => route.abort());
  for (let time = 0; time < 2; time++) {
    await page.clock.runFor(15 * MINUTE + 1000);
    await pause(1500);
    assert.deepEqual(await frameIds(page), ["player-0"]);
  }
  await player.untilPlaying();
}

async function noReload(desk: Desk) {
  const { page } = await openPage(desk.browser);
  await page.addInitScript(() =>
    localStorage.setItem("global-prefs", JSON.stringify({ reloadClient: false, reloadClientTime: 1 }))
  );
  await page.clock.install();
  const player = new PlayerPage(page, desk.service.url);
  await player.open("framed", STREAM);
  await player.untilPlaying();
  await run(page, 4 * MINUTE);
  await page.clock.fastForward(16 * MINUTE);
  assert.deepEqual(await frameIds(page), ["player-0"]);
}

async function deleted(desk: Desk) {
  const players: PlayerPage[] = [];
  for (const which of ["minimal", "tv"] as const) players.push(await openPlayer(desk, which, false));
  await (await desk.service.api("DELETE", `/api/streams/${STREAM}`)).body?.cancel();
  for (const player of players) await player.untilMessage(/no such channel/, 40_000);
}
