/**
 * Real clients: each plays the channel by the address that the IPTV playlist gives it. First while all is well, then
 * over a killed encoder and a media server's restart, while the validator checks every version of the channel's list.
 */
import { strict as assert } from "node:assert";
import { PAGE_COLOUR, untilPageShown } from "../support/channel.ts";
import { decode } from "../support/decoding.ts";
import { launchBrowser } from "../support/browser.ts";
import { type HlsPage, openHlsPage, type Sample } from "../support/hls_page.ts";
import { type ChannelReport, type ChannelWatch, watchChannel } from "../support/hls_validator.ts";
import { parseM3u } from "../support/m3u.ts";
import { isColour, probe } from "../support/media.ts";
import { movingIn, type PlayerName, PLAYERS, type Playing, startPlayer } from "../support/players.ts";
import { pause, startService, type TestService } from "../support/service.ts";

/** The validator watches for 3 minutes: while all is well, after the first and after the second fault. */
const PARTS_MS = [60_000, 60_000, 60_000];
/** Milliseconds for the channel to be listed again after a fault; 2-3 s where nothing else runs. */
const BACK_MS = 40_000;
/** Milliseconds for a player that has just begun, or lived through a fault, to show what it has to. */
const PLAYER_BACK_MS = 30_000;
/** Share of the pictures, one a second, that a player has to show where two cores have all of this to do. */
const SHOWN_SHARE = 0.2;
/** Share of the looks at hls.js that find a newer picture; a full machine lets us look once in 5 s only. */
const NEWER_SHARE = 0.5;
/** Segments come every second; RFC 8216 6.2.2 allows 1.5 s, and we look 5 times a second. */
const LATE_MS = 1500 + 400;
/** Share of the segments that may be late all the same, and how late. */
const LATE_SHARE = 0.05;
const TOO_LATE_MS = 8000;

interface Span {
  what: string;
  from: number;
  to: number;
}

Deno.test("real clients play the playlist's address, over faults too", async (t) => {
  const service = await startService();
  const browser = await launchBrowser();
  const clients = new AsyncDisposableStack();
  // clients and validator go on from step to step
  const step = (name: string, fn: () => Promise<void>) =>
    t.step({ name, fn, sanitizeOps: false, sanitizeResources: false });
  try {
    const { id } = await service.create({ name: "Clock" });
    await untilPageShown(service, id, 0, 60_000);
    let url = "";
    await step("the playlist has the channel's address", async () => {
      url = await playlistAddress(service, "Clock");
    });

    const start = Date.now();
    const watch = watchChannel(url);
    const playing: [PlayerName, Playing][] = [];
    for (const name of Object.keys(PLAYERS) as PlayerName[]) {
      playing.push([name, clients.use(await startPlayer(name, url))]);
    }
    const page = await openHlsPage(browser, service.url, url);
    const sampling = sampleEverySecond(page);
    await step("ffprobe: H.264 up to level 4.1 in yuv420p and AAC of 48 kHz", () => checkTracks(url));
    await step(
      "ffmpeg: 10 s without an error, no picture missing, times that only rise",
      () => checkDecoding(url),
    );

    const spans = await lastThroughFaults(step, service, watch, id, start);
    const report = await watch.end();
    const samples = await sampling.end();
    console.log(summary(report));

    await step("no rule of RFC 8216 was broken, and the headers are the specification's", () => {
      assert.deepEqual(report.problems, []);
      const { segments, intervals } = report;
      assert.ok(segments > (Date.now() - start) / 1000 * 0.8, `${segments} segments`);
      const late = intervals.filter((ms) => ms > LATE_MS);
      assert.ok(
        late.length <= intervals.length * LATE_SHARE && intervals.at(-1)! < TOO_LATE_MS,
        `late: ${late}`,
      );
      return Promise.resolve();
    });
    for (const [name, player] of playing) {
      await step(`${name}: picture and tone go on after each fault`, () => checkPlayer(name, player, spans));
    }
    await step("hls.js: the picture goes on after each fault", async () => {
      checkSamples(samples, spans);
      assert.deepEqual(await page.fatalErrors(), []);
    });
  } finally {
    await clients.disposeAsync();
    await browser.close();
    await service.stop();
  }
});

async function playlistAddress(service: TestService, name: string): Promise<string> {
  const { channels } = parseM3u(await fetch(`${service.url}/playlist.m3u?running=1`).then((r) => r.bytes()));
  assert.deepEqual(channels.map((channel) => channel.name), [name]);
  const [{ url }] = channels;
  assert.ok(url.startsWith(service.url), url);
  return url;
}

async function checkTracks(url: string): Promise<void> {
  const { streams } = await probe(url);
  assert.deepEqual(streams.map(({ codec_type }) => codec_type), ["video", "audio"]);
  const [video, audio] = streams;
  assert.deepEqual([video.codec_name, video.pix_fmt], ["h264", "yuv420p"]);
  assert.ok(Number(video.level) <= 41, `level ${video.level}`);
  assert.deepEqual([audio.codec_name, audio.sample_rate], ["aac", "48000"]);
}

async function checkDecoding(url: string): Promise<void> {
  const { video, audio } = await decode(url, 10);
  assert.ok(Math.abs(video.times.length - 250) <= 10, `${video.times.length} pictures`);
  for (const { times } of [video, audio]) {
    times.forEach((time, at) =>
      assert.ok(at === 0 || time > times[at - 1], `${times[at - 1]}, then ${time}`)
    );
  }
  assert.ok(Math.abs(video.duration - audio.duration) < 0.3, `${video.duration} s and ${audio.duration} s`);
  assert.ok(Math.abs(video.times[0] - audio.times[0]) < 0.3, `${video.times[0]} and ${audio.times[0]}`);
  assert.ok(video.changes > 50, `${video.changes} pictures differ from the one before`);
}

/** Waits, breaks the channel twice and waits again; the times in which players have to play. */
async function lastThroughFaults(
  step: (name: string, fn: () => Promise<void>) => Promise<unknown>,
  service: TestService,
  watch: ChannelWatch,
  id: string,
  start: number,
): Promise<Span[]> {
  const spans: Span[] = [{ what: "before the faults", from: start + PLAYER_BACK_MS, to: 0 }];
  const breakChannel = async (what: string, action: () => unknown) => {
    spans.at(-1)!.to = Date.now();
    await step(`the channel goes on after ${what}`, async () => {
      await watch.fault(what, action, BACK_MS);
    });
    spans.push({ what: `after ${what}`, from: Date.now() + PLAYER_BACK_MS, to: 0 });
  };
  await pause(start + PARTS_MS[0] - Date.now());
  await breakChannel(
    "kill -9 of the encoder",
    async () => Deno.kill(await service.programPid(`encoder-${id}`), "SIGKILL"),
  );
  await pause(PARTS_MS[1]);
  await breakChannel("a restart of the media server", () => {
    const [master] = service.processes(/nginx: master/);
    Deno.kill(master, "SIGTERM");
  });
  await pause(PARTS_MS[2]);
  spans.at(-1)!.to = Date.now();
  return spans;
}

async function checkPlayer(name: PlayerName, player: Playing, spans: Span[]): Promise<void> {
  await player.stop();
  const { pictures } = player;
  console.log(`${name}: ${pictures.length} pictures, longest pause ${longestPause(pictures)} s`);
  for (const span of spans) {
    const seen = within(pictures, span);
    const seconds = (span.to - span.from) / 1000;
    assert.ok(seen.length >= seconds * SHOWN_SHARE, `${span.what}: ${seen.length} pictures in ${seconds} s`);
    const colours = await Promise.all(seen.slice(-3).map((picture) => movingIn(name, picture)));
    assert.ok(new Set(colours.map(String)).size > 1, `${span.what}: the picture stands still`);
  }
  if (name === "mpv") return assert.match(await player.log(), /AO: \[null\] 48000Hz stereo/);
  const sounds = await player.lastSounds(20);
  const tones = sounds.filter(({ rms, frequency }) => rms > 0.05 && Math.abs(frequency - 440) < 15);
  assert.ok(tones.length >= 5, `the tone is not heard: ${JSON.stringify(sounds)}`);
}

function checkSamples(samples: Sample[], spans: Span[]): void {
  const advancing = samples.filter(({ currentTime, frames }, at) =>
    at > 0 && currentTime > samples[at - 1].currentTime && frames > samples[at - 1].frames
  );
  console.log(`hls.js: longest pause ${longestPause(advancing)} s`);
  for (const span of spans) {
    const looks = within(samples, span).length;
    const seen = within(advancing, span);
    assert.ok(
      seen.length >= Math.max(3, looks * NEWER_SHARE),
      `${span.what}: ${seen.length} of ${looks} newer`,
    );
    for (const { plain } of seen) {
      assert.ok(isColour(plain, PAGE_COLOUR), `${span.what}: not the page: ${plain}`);
    }
    assert.ok(
      new Set(seen.map(({ moving }) => String(moving))).size > 1,
      `${span.what}: the picture stands still`,
    );
  }
}

function within<T extends { at: number }>(all: T[], { from, to }: Span): T[] {
  return all.filter(({ at }) => at > from && at < to);
}

/** Looks at the page in the background. */
function sampleEverySecond(page: HlsPage): { end(): Promise<Sample[]> } {
  const samples: Sample[] = [];
  let hasEnded = false;
  const sampling = (async () => {
    while (!hasEnded) {
      samples.push(await page.sample());
      await pause(1000);
    }
    return samples;
  })();
  sampling.catch(() => {}); // told by end()
  return {
    end: () => {
      hasEnded = true;
      return sampling;
    },
  };
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
