/** Players in a real Chromium on the app in process, with a recorded channel. One behaviour, one test. */
import type { BrowserContextOptions } from "playwright-core";
import { type Player, PlayerPage } from "./player_page.ts";
import { type RecordedChannel, recordedChannel } from "./recorded_channel.ts";
import { runUi, type UiOptions, type UiTest } from "./ui.ts";

/** The stream that plays the recorded channel. */
export const STREAM = "clock";
/** What the console says of requests that fail, as they do in every fault. */
export const FAILED_REQUESTS = /Failed to load resource|net::ERR_|blocked by CORS policy/;

export interface PlayerTest extends UiTest {
  channel: RecordedChannel;
  /** A player of another viewer, which plays. @param hasClock whether the test moves its clock. */
  watch(
    which: Player,
    options?: { hasClock?: boolean; context?: BrowserContextOptions },
  ): Promise<PlayerPage>;
}

export interface PlayerOptions extends UiOptions {
  /** Ids of other streams that play the recorded channel. */
  others?: string[];
}

/** Registers a test with a running stream whose media server is the recorded channel. */
export function playerTest(
  name: string,
  test: (ui: PlayerTest) => Promise<void>,
  { env, streams = [], others = [], ...options }: PlayerOptions = {},
): void {
  Deno.test(name, async () => {
    await using channel = await recordedChannel(STREAM, ...others);
    await runUi((ui) => {
      let isFirst = true;
      const watch: PlayerTest["watch"] = async (which, { hasClock = false, context } = {}) => {
        const page = isFirst && !context ? ui.page : (await ui.open(context)).page;
        isFirst = false;
        if (hasClock) await page.clock.install();
        const player = new PlayerPage(page, ui.url);
        await player.open(which, STREAM);
        await player.untilPlaying();
        return player;
      };
      return test(Object.assign(ui, { channel, watch }));
    }, {
      streams: [{ name: "Clock", desiredState: "running" }, ...streams],
      // a player asks every 3 s at most; older answers would only make the tests wait
      env: { MEDIA_PORT: String(channel.port), TIMINGS: JSON.stringify({ statusCacheMs: 100 }), ...env },
      ...options,
    });
  });
}
