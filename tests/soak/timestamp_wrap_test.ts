/**
 * Timestamps have only so many bits, and streams run for months. The encoder's own command publishes channels whose
 * timestamps begin anew in a minute.
 */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { channelDir, playlistFile, seedSequence } from "../../lib/channel/media/hls.ts";
import { publishKey, readPublishSecret, writePublishPreset } from "../../lib/channel/media/publish.ts";
import { TIMESTAMP_PERIOD } from "../../lib/live/programs/commands/encoder.ts";
import { type StreamId, streamId } from "../../lib/model/id.ts";
import { playlistUrl } from "../support/channel.ts";
import { longestPause } from "../support/clients.ts";
import { PlaylistWatch } from "../support/faults.ts";
import { openHlsPage, type Playback } from "../support/hls_page.ts";
import { fetchPlaylist } from "../support/media.ts";
import { type Decoded, startMeasuringClient } from "../support/measuring_client.ts";
import { startPlayer } from "../support/players.ts";
import { environment } from "../support/proc.ts";
import { pause, within } from "../support/within.ts";
import { startService, type TestService } from "../support/service.ts";
import { launchHearingBrowser } from "../support/sound_output.ts";

const WRAPS = [
  // once in 26.5 hours, for all channels at the same moment; whoever decodes knows of it
  { bits: "the 33 bits of MPEG-TS, at 90 kHz", seconds: TIMESTAMP_PERIOD, isJump: false },
  // 24.9 days after an encoder's start: FFmpeg's muxer writes the uppermost bit of the 32 as 0
  { bits: "the 31 bits of FLV, in milliseconds", seconds: 2 ** 31 / 1000, isJump: true },
];
/** By which the 33 bits are ahead then: 2^31 ms are 22.5 times their period. */
const JUMP_SECONDS = TIMESTAMP_PERIOD / 2;

/** From an encoder's start to its wrap: players have played for a while then. */
const BEFORE_SECONDS = 75;
const AFTER_MS = 30_000;
const SETUP_MS = 60_000;
/** Players may begin with a pause. */
const PLAYER_START_MS = 15_000;
/** Whoever is two segments behind the newest, as mpv and VLC are, has nothing left to show then. */
const PAUSE_SECONDS = 3;
const FPS = 10;

interface Played {
  /** mpv's pictures and VLC's sound. */
  times: Record<"mpv" | "VLC", { at: number }[]>;
  decoded: Decoded;
  playback: { from: Playback; to: Playback };
  /** Whether the playlist told of a break. */
  isMarked: boolean;
}

const all = new AsyncDisposableStack();
let played: Promise<Played>[];

Deno.test.beforeAll(async () => {
  // one display has one reader of what changes, and that is the stream's own encoder
  const service = await startService({ env: { CAPTURE: "x11grab" } });
  all.defer(async () => {
    await service.stop();
  });
  const { browser } = all.use(await launchHearingBrowser());
  const { id } = await service.create({ name: "Clock", fps: FPS });
  await service.untilState(id, "running");
  played = WRAPS.map(({ seconds }, index) =>
    play(service, browser, id, streamId(`wrapping-${index}`), seconds)
  );
  await Promise.allSettled(played);
});
Deno.test.afterAll(() => all.disposeAsync());

/** What players make of a channel of a stream's whose timestamps come to `seconds`. */
async function play(
  service: TestService,
  browser: Browser,
  id: StreamId,
  channel: StreamId,
  seconds: number,
): Promise<Played> {
  const wrapsAt = Date.now() + BEFORE_SECONDS * 1000;
  all.use(await publish(service, id, channel, seconds - BEFORE_SECONDS));
  const url = playlistUrl(service, channel);
  await within("the channel to be on", SETUP_MS, async () => (await fetchPlaylist(url))?.segments.length);

  const mpv = all.use(await startPlayer("mpv", url, { every: 1, isLong: true }));
  const VLC = all.use(await startPlayer("VLC", url, { every: 1, isLong: true }));
  const measuring = all.use(await startMeasuringClient(url));
  const page = await openHlsPage(browser, service.url, url, false);
  await within("hls.js to play", SETUP_MS, async () => (await page.playback()).currentTime > 1);
  await pause(PLAYER_START_MS);
  assert.ok(Date.now() < wrapsAt - 5000, "the players began too late to be there at the wrap");
  await using watch = new PlaylistWatch(service, [channel]);
  const from = await page.playback();
  await pause(wrapsAt + AFTER_MS - Date.now());
  const to = await page.playback();
  await Promise.all([mpv.stop(), VLC.stop()]);
  return {
    times: { mpv: mpv.pictures, VLC: VLC.soundTimes },
    decoded: await measuring.end(),
    playback: { from, to },
    isMarked: watch.broken.has(channel),
  };
}

/** A further channel of a stream's display and sound, by the command of its encoder. `using` ends it. */
async function publish(
  service: TestService,
  id: StreamId,
  channel: StreamId,
  offset: number,
): Promise<AsyncDisposable> {
  const pid = await service.programPid(`encoder-${id}`);
  const [program, ...args] = (await Deno.readTextFile(`/proc/${pid}/cmdline`)).split("\0").slice(0, -1);
  const set = (option: string, value: string) => {
    const at = args.indexOf(option);
    assert.ok(at > 0, `${option} is no option of the encoder's`);
    args[at + 1] = value;
  };
  const folder = await Deno.makeTempDir({ prefix: "browser-stream-wrap-" });
  const preset = join(folder, "preset");
  const secret = await readPublishSecret(join(service.runDir, "publish-secret"));
  await writePublishPreset(preset, channel, publishKey(secret, channel));
  set("-fpre", preset);
  set("-output_ts_offset", offset.toFixed(3));
  await addChannel(join(service.runDir, "hls"), id, channel);
  const variables = environment(pid).split("\0").filter(Boolean).map((line) => {
    const at = line.indexOf("=");
    return [line.slice(0, at), line.slice(at + 1)];
  });
  const child = new Deno.Command(program, {
    args,
    clearEnv: true,
    env: Object.fromEntries(variables),
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  return {
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await child.status;
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** The new channel's folder, of the same owner as the stream's. */
async function addChannel(hlsDir: string, id: StreamId, channel: StreamId): Promise<void> {
  seedSequence(hlsDir, channel);
  const { uid, gid } = await Deno.stat(channelDir(hlsDir, id));
  const own = [channelDir(hlsDir, channel), playlistFile(hlsDir, channel)];
  for (const path of own) await Deno.chown(path, uid, gid);
}

for (const [index, { bits, seconds, isJump }] of WRAPS.entries()) {
  Deno.test(`${bits}: ffmpeg decodes on without an error, and no picture is missing`, async () => {
    const { errors, pictures } = (await played[index]).decoded;
    assert.equal(errors, "");
    const times = pictures.map(({ at }) => at);
    const gaps = times.slice(1).map((at, index) => at - times[index]);
    const before = gaps.findIndex((gap) => Math.abs(gap) > JUMP_SECONDS / 2);
    console.log(`${times[0]} s to ${times.at(-1)} s, the jump after ${times[before]}`);
    assert.equal(before >= 0, isJump);
    if (!isJump) assert.ok(times[0] < seconds && times.at(-1)! > seconds, "there was no wrap");
    const others = gaps.toSpliced(before, isJump ? 1 : 0);
    assert.ok(Math.min(...others) > 0, "times do not rise");
    assert.ok(Math.max(...others) < 2.5 / FPS, "pictures are missing");
  });

  Deno.test(`${bits}: the playlist tells of a break if times jump`, async () => {
    assert.equal((await played[index]).isMarked, isJump);
  });

  for (const player of ["mpv", "VLC"] as const) {
    Deno.test(`${bits}: ${player} plays on without a pause`, async () => {
      const { playback: { from, to }, times } = await played[index];
      const own = times[player].filter(({ at }) => at > from.at && at < to.at);
      console.log(`${player}: ${own.length} times, longest pause ${longestPause(own)} s`);
      assert.ok(longestPause([from, ...own, to]) < PAUSE_SECONDS);
    });
  }

  Deno.test(`${bits}: hls.js plays on${isJump ? "" : " without a stall"}`, async () => {
    const { from, to } = (await played[index]).playback;
    const moved = to.currentTime - from.currentTime;
    // it may go along with the jump
    const lost = (to.at - from.at) / 1000 - moved % JUMP_SECONDS;
    console.log(`hls.js: ${to.stalls} stalls, ${lost.toFixed(3)} s lost`);
    if (!isJump) assert.equal(to.stalls, 0);
    assert.ok(Math.abs(lost) < (isJump ? PAUSE_SECONDS : 1), `${lost} s were not played`);
  });
}
