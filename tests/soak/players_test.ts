/** The TV player over hours, by its page's clock: an outage costs little, and memory is bounded. */
import { strict as assert } from "node:assert";
import { PlayerPage } from "../support/player_page.ts";
import { FAILED_REQUESTS, playerTest, STREAM } from "../support/player_ui.ts";
import { within } from "../support/within.ts";

const MINUTE_MS = 60_000;
/** Timers that are later than 15 s were asleep, and the player starts again (player/live.ts). */
const ASLEEP_MS = 20_000;
/** player/hls_options.ts: 5 s behind the picture, and at most 10 s before it. */
const BUFFERED_SECONDS = 15;

playerTest("an hour's outage costs few requests, and ends within seconds", async (ui) => {
  const tv = await ui.watch("tv", { hasClock: true });
  await Promise.all([ui.stopApp(), ui.channel.stop()]);
  const from = tv.requests.length;
  await tv.run(60 * MINUTE_MS, 5000);
  await tv.untilMessage(/The service cannot be reached/);
  const requests = tv.requests.length - from;
  assert.ok(requests > 200 && requests < 450, `${requests} requests in an hour`);
  await ui.startApp();
  ui.channel.start();
  await tv.runUntilPlaying(12_000);
}, { mayLog: FAILED_REQUESTS });

playerTest("memory is bounded over many new beginnings", async ({ page, url }) => {
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
  const player = new PlayerPage(page, url);
  await player.open("tv", STREAM);
  await player.untilPlaying();
  const client = await page.context().newCDPSession(page);
  const again = async (times: number) => {
    for (let time = 0; time < times; time++) {
      const attempts = player.attempts();
      await page.clock.fastForward(ASLEEP_MS);
      await within("a new beginning", 5000, () => player.attempts() > attempts);
      await player.untilPlaying();
    }
    await client.send("HeapProfiler.collectGarbage");
    return (await client.send("Runtime.getHeapUsage")).usedSize / 1024 / 1024;
  };
  const early = await again(5);
  const late = await again(20);
  assert.ok(late - early < 2, `${early.toFixed(1)} MiB after 5, ${late.toFixed(1)} MiB after 25`);
  const alive = await page.evaluate(() =>
    (globalThis as unknown as { alive: { most: number; ever: number } }).alive
  );
  assert.equal(alive.most, 1);
  assert.ok(alive.ever > 25);
}, { mayLog: FAILED_REQUESTS });

playerTest("what was shown is not kept", async ({ watch }) => {
  const player = await watch("tv");
  const { time } = await player.video();
  await within("more than is kept to be shown", 60_000, async () => {
    return (await player.video()).time > time + BUFFERED_SECONDS + 10;
  });
  const seconds = await player.frame.locator("video").evaluate(({ buffered }: HTMLVideoElement) =>
    Array.from({ length: buffered.length }, (_, at) => buffered.end(at) - buffered.start(at))
      .reduce((sum, part) => sum + part, 0)
  );
  assert.ok(seconds < BUFFERED_SECONDS, `${seconds} s are buffered`);
});
