/** The instant view: a channel by a WebSocket, and the way back to HLS where that cannot be. */
import { strict as assert } from "node:assert";
import { type LiveClip, sendClip } from "../support/flv_clip.ts";
import { type Player, PlayerPage } from "../support/player_page.ts";
import { FAILED_REQUESTS, type PlayerTest, playerTest, STREAM } from "../support/player_ui.ts";
import { same, until } from "../support/same.ts";
import { inSoak } from "../support/soak.ts";

const MAY_LOG = new RegExp(`${FAILED_REQUESTS.source}|WebSocket connection to`);

interface InstantTest extends PlayerTest {
  clip: LiveClip;
  /** Opens a player; the operator has chosen "instant" for all. */
  openInstant(which: Player): Promise<PlayerPage>;
}

function instantTest(name: string, test: (ui: InstantTest) => Promise<void>, others: string[] = []): void {
  playerTest(name, async (ui) => {
    using clip = await sendClip(ui.app.machine.channel);
    const openInstant = async (which: Player) => {
      const player = new PlayerPage(ui.page, ui.url);
      await player.open(which, STREAM);
      await player.untilPlaying();
      return player;
    };
    await test(Object.assign(ui, { clip, openInstant }));
  }, {
    env: { DEFAULT_PLAYER: "instant" },
    mayLog: MAY_LOG,
    others,
    streams: others.map((other) => ({ name: other, desiredState: "running" })),
  });
}

const playlists = ({ requests }: PlayerPage) => requests.filter((url) => url.includes(".m3u8"));
const players = ({ app }: PlayerTest) => app.machine.channel.players;

/** Seconds that are loaded and not shown yet. */
const aheadOf = (player: PlayerPage) =>
  player.frame.evaluate(() => {
    const { buffered, currentTime } = document.querySelector("video")!;
    return buffered.length === 0 ? NaN : buffered.end(buffered.length - 1) - currentTime;
  });

instantTest(
  `instant: the tv player plays the transport stream, close to its end, and no HLS`,
  async (ui) => {
    const player = await ui.openInstant("tv");
    await until("the player to be close to the end", async () => await aheadOf(player) < 0.7);
    assert.deepEqual([playlists(player), players(ui)], [[], 1]);
    assert.ok(player.requests.some((url) => url.includes("/vendor/mpegts.js")));
  },
);

inSoak(instantTest)("instant: an encoder's restart is played over, by the same player", async (ui) => {
  const player = await ui.openInstant("minimal");
  const { src } = await player.video();
  ui.clip.pause();
  ui.app.machine.channel.end();
  await player.untilStill();
  ui.clip.resume();
  await player.untilPlaying();
  await same(async () => (await player.video()).src, src);
  await until("the player to be close to the end", async () => await aheadOf(player) < 0.7);
});

inSoak(instantTest)(
  "instant: a channel that stalls three times in a minute is played by HLS, until the tab is another",
  async (ui) => {
    const player = await ui.openInstant("minimal");
    const isHls = () => playlists(player).length > 0;
    let stalls = 0;
    for (; stalls < 5 && !isHls(); stalls++) {
      ui.clip.pause();
      await player.untilStill(isHls);
      ui.clip.resume();
      await player.untilPlaying();
    }
    assert.ok(isHls() && stalls > 1, `${stalls} stalls, HLS: ${isHls()}`);
    await player.page.reload();
    await player.find();
    await player.untilPlaying();
    await same(() => players(ui), 0);
  },
);

instantTest("instant: without WebSockets, as behind an old proxy, HLS is played by itself", async (ui) => {
  await ui.page.routeWebSocket(/\/api\/ts\//, (socket) => void socket.close({ code: 1011 }));
  const player = await ui.openInstant("tv");
  assert.ok(playlists(player).length > 0);
});

inSoak(instantTest)(
  "instant: a wall plays transport streams, and HLS when its button is pressed, or where it must",
  async (ui) => {
    const { page } = ui;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("websocket", (socket) => asked.push(socket.url()));
    const isHls = () => asked.some((url) => url.includes(".m3u8"));
    await page.goto(`${ui.url}/wall?layout=running`);
    const playing = page.locator(".slot.is-playing");
    await playing.waitFor();
    assert.deepEqual([isHls(), players(ui)], [false, 1]);
    const button = page.locator("#mode");
    await same(() => button.getAttribute("aria-pressed"), "true");
    await page.keyboard.press("i");
    await same(() => button.getAttribute("aria-pressed"), "false");
    await until("HLS", isHls);
    await playing.waitFor();
    await page.mouse.move(100, 100);
    asked.length = 0;
    await button.click();
    await until("the transport stream", () => asked.some((url) => url.includes("/api/ts/")));
    await playing.waitFor();
    // as behind an old proxy
    await page.routeWebSocket(/\/api\/ts\//, (socket) => void socket.close({ code: 1011 }));
    asked.length = 0;
    await page.reload();
    await playing.waitFor();
    await until("HLS", isHls);
  },
);

inSoak(instantTest)("instant: the switch changes between the two, and is remembered", async (ui) => {
  const tv = await ui.openInstant("tv");
  const button = tv.frame.locator("#mode");
  await same(() => button.getAttribute("aria-pressed"), "true");
  await tv.page.mouse.move(100, 100);
  await button.click();
  await same(() => button.getAttribute("aria-pressed"), "false");
  await until("HLS", () => playlists(tv).length > 0);
  await tv.untilPlaying();
  await tv.page.reload();
  await tv.find();
  await tv.untilPlaying();
  await same(() => tv.frame.locator("#mode").getAttribute("aria-pressed"), "false");
  await tv.page.keyboard.press("i");
  await until("the transport stream", () => players(ui) === 1);
  await tv.untilPlaying();
});
