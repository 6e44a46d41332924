/**
 * What breaks while a player plays, for both ways to the channel: the minimal player's by the proxy, and the TV player's
 * from the media server. The players run one script, so the suite shows each recovery on one of them, and
 * tests/soak on the other.
 */
import { strict as assert } from "node:assert";
import { PlayerPage } from "./player_page.ts";
import { FAILED_REQUESTS, type PlayerTest, playerTest, STREAM } from "./player_ui.ts";
import { inSoak } from "./soak.ts";
import { until } from "./same.ts";

export const MINUTE_MS = 60_000;
/** Players try again after at most 10 s (player/live.ts), and ask two addresses then. */
export const BACK_MS = 12_000;
/** How far a player's clock runs at once where nothing answers. */
export const FAR_AT_ONCE_MS = 5000;
/** A picture that stands still for 5 s is a stall; the player checks once a second. */
const STALL_MS = 6000;

type Way = "minimal" | "tv";

interface Recovery {
  name: string;
  /** The players that show it in the suite. */
  on: Way[];
  test: (ui: PlayerTest, which: Way) => Promise<void>;
}

const RECOVERIES: Recovery[] = [];

/** Registers every recovery on its player, or on the other one. */
export function recoveryTests(place: "suite" | "soak"): void {
  for (const { name, on, test } of RECOVERIES) {
    for (const which of ["minimal", "tv"] as const) {
      if (on.includes(which) !== (place === "suite")) continue;
      playerTest(`${which}: ${name}`, (ui) => test(ui, which), { mayLog: FAILED_REQUESTS });
    }
  }
}

function recovery(name: string, on: Way[], test: Recovery["test"]): void {
  RECOVERIES.push({ name, on, test });
}

inSoak(recovery)(
  "a dead encoder's last seconds are not shown again",
  ["tv"],
  async ({ watch, channel }, which) => {
    const player = await watch(which, { hasClock: true });
    channel.freeze();
    await player.run(STALL_MS);
    await until("a new attempt", () => player.attempts() > 1);
    await player.untilMessage(/Waiting for the picture/);
    await player.run(15_000);
    assert.equal((await player.video()).time, 0);
    channel.thaw();
    await player.runUntilPlaying(BACK_MS);
  },
);

recovery("plays again after the media server was away", [], async ({ watch, channel }, which) => {
  const player = await watch(which, { hasClock: true });
  await channel.stop();
  await player.run(20_000);
  await player.untilMessage(/Waiting for the picture/);
  channel.start();
  await player.runUntilPlaying(BACK_MS);
});

recovery(
  "listed segments that are gone are not waited for",
  ["minimal"],
  async ({ page, url, channel }, which) => {
    channel.deleteSegments();
    const player = new PlayerPage(page, url);
    await player.open(which, STREAM);
    await player.untilPlaying();
  },
);

recovery("plays through a restart of the web app, or after it", ["tv"], async (ui, which) => {
  const player = await ui.watch(which, { hasClock: true });
  const attempts = player.attempts();
  await ui.stopApp();
  if (which === "tv") { // straight from the media server
    await player.untilNewFrame();
    assert.equal(player.attempts(), attempts);
    return await ui.startApp();
  }
  await player.run(20_000);
  await player.untilMessage(/The service cannot be reached/);
  await ui.startApp();
  await player.runUntilPlaying(BACK_MS);
});

inSoak(recovery)("a night asleep", ["tv"], async ({ watch }, which) => {
  const player = await watch(which, { hasClock: true });
  const attempts = player.attempts();
  await player.page.clock.fastForward("08:00:00");
  await until("a new beginning", () => player.attempts() > attempts);
  await player.untilPlaying();
});

recovery("a deleted stream says so", [], async ({ watch, app, channel }, which) => {
  const player = await watch(which, { hasClock: true });
  await app.api("DELETE", `/api/streams/${STREAM}`);
  await channel.stop();
  await player.run(STALL_MS + BACK_MS);
  await player.untilMessage(/channel was deleted/);
});
