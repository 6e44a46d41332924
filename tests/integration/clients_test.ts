/**
 * Real clients: each plays the channel by the address that the IPTV playlist gives it. First while all is well, then
 * over a killed encoder and a media server's restart, while the validator checks every version of the channel's list.
 */
import { strict as assert } from "node:assert";
import { PAGE_COLOUR, untilPageShown } from "../channel.ts";
import { decode } from "../decoding.ts";
import { launchBrowser } from "../e2e/browser.ts";
import { openHlsPage, type Sample } from "../hls_page.ts";
import { type ChannelReport, type Fault, watchChannel } from "../hls_validator.ts";
import { parseM3u } from "../m3u.ts";
import { isColour, probe } from "../media.ts";
import { pageIn, PLAYERS, startPlayer } from "../players.ts";
import { pause, startService, type TestService } from "../service.ts";

const WATCH_MS = 180_000;
const FIRST_FAULT_MS = 60_000;
const SECOND_FAULT_MS = 115_000;
/** Milliseconds for the channel to be listed again after a fault. */
const BACK_MS = 20_000;
/** Milliseconds for a player that is some segments behind to show a new picture after a fault. */
const PLAYER_BACK_MS = 30_000;
/** Segments come every second; RFC 8216 6.2.2 allows 1.5 s, and we look 5 times a second. */
const LATE_MS = 1500 + 400;
/** Share of the segments that may be late on a machine that has other things to do, and how late. */
const LATE_SHARE = 0.05;
const TOO_LATE_MS = 5000;

Deno.test("real clients play the playlist's address, over faults too", {
  // the players and the validator go on from step to step
  sanitizeOps: false,
  sanitizeResources: false,
}, async (t) => {
  const service = await startService();
  const browser = await launchBrowser();
  await using players = new AsyncDisposableStack();
  const step = (name: string, fn: () => Promise<void>) =>
    t.step({ name, fn, sanitizeOps: false, sanitizeResources: false });
  try {
    const { id } = await service.create({ name: "Clock" });
    await untilPageShown(service, id, 0, 30_000);
    let url = "";

    await step("the playlist has the channel's address", async () => {
      const { channels } = parseM3u(
        await fetch(`${service.url}/playlist.m3u?running=1`).then((r) => r.bytes()),
      );
      assert.deepEqual(channels.map(({ name }) => name), ["Clock"]);
      url = channels[0].url;
      assert.ok(url.startsWith(service.url));
    });

    const start = Date.now();
    const watch = watchChannel(url);
    const running = await Promise.all(
      (Object.keys(PLAYERS) as (keyof typeof PLAYERS)[]).map(async (name) => ({
        name,
        player: players.use(await startPlayer(name, url)),
      })),
    );
    const page = await openHlsPage(browser, service.url, url);
    const samples: Sample[] = [];
    let isSampling = true;
    const sampling = (async () => {
      while (isSampling) {
        samples.push(await page.sample());
        await pause(1000);
      }
    })();
    const untilTime = (ms: number) => pause(Math.max(0, start + ms - Date.now()));

    await step("ffprobe: H.264 up to level 4.1 in yuv420p, AAC of 48 kHz, and nothing else", async () => {
      const { streams } = await probe(url);
      const [video, audio] = streams as unknown as Record<string, unknown>[];
      assert.deepEqual(streams.map(({ codec_type }) => codec_type), ["video", "audio"]);
      assert.deepEqual([video.codec_name, video.pix_fmt], ["h264", "yuv420p"]);
      assert.ok(Number(video.level) <= 41, `level ${video.level}`);
      assert.deepEqual([audio.codec_name, audio.sample_rate], ["aac", "48000"]);
    });

    await step("ffmpeg: 10 s without an error, every frame there, times that only rise", async () => {
      const { video, audio } = await decode(url, 10);
      assert.ok(Math.abs(video.times.length - 250) <= 10, `${video.times.length} pictures`);
      for (const { times } of [video, audio]) {
        times.forEach((time, at) =>
          assert.ok(at === 0 || time > times[at - 1], `${times[at - 1]}, then ${time}`)
        );
      }
      assert.ok(
        Math.abs(video.duration - audio.duration) < 0.3,
        `${video.duration} s and ${audio.duration} s`,
      );
      assert.ok(Math.abs(video.times[0] - audio.times[0]) < 0.3, `${video.times[0]} and ${audio.times[0]}`);
      assert.ok(video.changes > 125, `${video.changes} of the pictures differ from the one before`);
    });

    const faults: Fault[] = [];
    /** Faults by Date.now(): the validator's clock is another one. */
    const times: { from: number; to: number }[] = [];
    const fault = async (what: string, action: () => unknown) => {
      const from = Date.now();
      faults.push(await watch.fault(what, action, BACK_MS));
      times.push({ from, to: Date.now() });
    };
    await untilTime(FIRST_FAULT_MS);
    await step(
      "the channel goes on after kill -9 of the encoder",
      () =>
        fault(
          "kill -9 of the encoder",
          async () => Deno.kill(await service.programPid(`encoder-${id}`), "SIGKILL"),
        ),
    );
    await untilTime(SECOND_FAULT_MS);
    await step(
      "the channel goes on after a restart of the media server",
      () => fault("a restart of the media server", () => Deno.kill(mediaServer(service), "SIGTERM")),
    );
    await untilTime(WATCH_MS);

    const report = await watch.end();
    isSampling = false;
    await sampling;
    console.log(summary(report));

    await step("no rule of RFC 8216 was broken, and the headers are the specification's", async () => {
      assert.deepEqual(report.problems, []);
      assert.ok(report.segments > WATCH_MS / 1000 * 0.8, `${report.segments} segments`);
      const late = report.intervals.filter((ms) => ms > LATE_MS);
      assert.ok(late.length <= report.intervals.length * LATE_SHARE, `late: ${late}`);
      assert.ok(report.intervals.at(-1)! < TOO_LATE_MS, `late: ${late}`);
      await Promise.resolve();
    });

    const [first, second] = times;
    const parts = [
      { what: "before the faults", from: start + PLAYER_BACK_MS, to: first.from },
      { what: "after the encoder's", from: first.to + PLAYER_BACK_MS, to: second.from },
      { what: "after the media server's", from: second.to + PLAYER_BACK_MS, to: start + WATCH_MS },
    ];
    const middle = <T extends { at: number }>(all: T[], { from, to }: { from: number; to: number }) =>
      all.filter(({ at }) => at > from && at < to);

    for (const { name, player } of running) {
      await step(
        `${name}: the page moves in its picture, its tone is heard, before and after each fault`,
        async () => {
          await player.stop();
          const pictures = await player.pictures();
          console.log(`${name}: ${pictures.length} pictures, longest pause ${longestPause(pictures)} s`);
          for (const part of parts) {
            const seen = middle(pictures, part);
            const wanted = (part.to - part.from) / 1000 / 2;
            assert.ok(
              seen.length >= wanted,
              `${part.what}: ${seen.length} pictures instead of ${wanted * 2}`,
            );
            const colours = await Promise.all([0, 1, 2, 3].map((at) => pageIn(seen.at(-1 - at * 2)!)));
            assert.ok(colours.every((colour) => colour !== null), `${part.what}: not the page`);
            assert.ok(new Set(colours.map(String)).size > 1, `${part.what}: the picture stands still`);
          }
          const { rms, frequency } = await player.lastSound(5);
          assert.ok(rms > 0.05 && Math.abs(frequency - 440) < 15, `rms ${rms}, ${frequency} Hz`);
        },
      );
    }

    await step("hls.js: its picture moves before and after each fault", async () => {
      console.log(`hls.js: longest pause ${longestPause(advancing(samples))} s`);
      assert.deepEqual(await page.fatalErrors(), []);
      for (const part of parts) {
        const seen = middle(advancing(samples), part);
        const wanted = (part.to - part.from) / 1000 / 2;
        assert.ok(
          seen.length >= wanted,
          `${part.what}: it advanced ${seen.length} times instead of ${wanted * 2}`,
        );
        assert.ok(seen.every(({ plain }) => isColour(plain, PAGE_COLOUR)), `${part.what}: not the page`);
        assert.ok(
          new Set(seen.map(({ moving }) => String(moving))).size > 1,
          `${part.what}: it stands still`,
        );
      }
    });
  } finally {
    await players.disposeAsync();
    await browser.close();
    await service.stop();
  }
});

function mediaServer(service: TestService): number {
  const [master] = service.processes(/nginx: master/);
  assert.ok(master, "no media server runs");
  return master;
}

/** The samples whose time is later than the one's before. */
function advancing(samples: Sample[]): Sample[] {
  return samples.filter(({ currentTime }, at) => at > 0 && currentTime > samples[at - 1].currentTime);
}

/** Seconds, to a tenth. */
function longestPause(all: { at: number }[]): number {
  return Math.round(Math.max(...all.slice(1).map(({ at }, index) => at - all[index].at)) / 100) / 10;
}

function summary({ polls, segments, faults, intervals }: ChannelReport): string {
  const at = (share: number) => Math.round(intervals[Math.floor((intervals.length - 1) * share)]);
  const gaps = faults.map(({ what, gap }) => `${Math.round(gap)} ms by ${what}`);
  return `validator: ${polls} polls, ${segments} segments, one each ${at(0.5)} ms (95 %: ${at(0.95)}, most ${
    at(1)
  }), ` +
    `longest without: ${gaps.join(", ")}`;
}
