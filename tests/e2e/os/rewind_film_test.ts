/** What of a channel's past can be seen: pictures show their own second as bars, and ffmpeg, ffprobe, mpv and hls.js say which. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import HLS from "hls-parser";
import { run, runBytes } from "../../../lib/machine/os/process.ts";
import { launchShell } from "../../support/browser.ts";
import { tempDir } from "../../support/fixture.ts";
import { openHlsPage } from "../../support/hls_page.ts";
import { HD, type PastPiece, secondOf } from "../../support/past.ts";
import { startPlayer } from "../../support/players.ts";
import { until } from "../../support/same.ts";
import { servedPast } from "../../support/served_past.ts";

/** A whole minute, as Unix time in s. */
const BEGIN = 1_790_000_040;
const SMALL = { width: 640, height: 360 };
const SIGNAL = new AbortController().signal;

const every = (from: number, to: number, step = 1) =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, at) => BEGIN + from + at * step);

/** A clock, a page that stands still, a clock that was set back, a visit, and another size. */
const HISTORY: PastPiece[] = [
  { number: 1, seconds: every(0, 240), end: BEGIN + 240 },
  { number: 2, seconds: [240, 241, 290, 340].map((at) => BEGIN + at), end: BEGIN + 840 },
  { number: 3, seconds: every(840, 1040, 2), end: BEGIN + 1040 },
  { number: 4, seconds: every(1000, 1060), end: BEGIN + 1090, reason: "visit" },
  { number: 5, seconds: [BEGIN + 1200, BEGIN + 1230], end: BEGIN + 1400, size: SMALL },
];

/** The second whose picture is shown, by the rule; null: nothing is kept. */
function expected(at: number): number | null {
  const piece = HISTORY.findLast(({ seconds: [start] }) => start <= BEGIN + at);
  if (!piece || BEGIN + at >= piece.end!) return null;
  return piece.seconds.findLast((second) => second <= BEGIN + at)! - BEGIN;
}

/** The samples of luma. @param input options of ffmpeg. */
async function luma(bytes: Uint8Array<ArrayBuffer>, ...input: string[]): Promise<Uint8Array> {
  const { code, stdout, stderr } = await runBytes(
    [
      ...["/usr/bin/ffmpeg", "-v", "error", "-nostdin", ...input, "-i", "pipe:0", "-fps_mode", "passthrough"],
      ...["-f", "rawvideo", "-pix_fmt", "gray", "pipe:1"],
    ],
    {
      timeoutMs: 30_000,
      input: (async function* () {
        yield await Promise.resolve(bytes);
      })(),
    },
  );
  assert.deepEqual([code, stderr], [0, ""]);
  return stdout;
}

/** The seconds that pictures of one size show, behind the beginning. */
function secondsIn(samples: Uint8Array, { width, height } = HD): number[] {
  const size = width * height;
  return Array.from(
    { length: samples.length / size },
    (_, at) => secondOf(samples.subarray(at * size), width, { width, height }) - BEGIN,
  );
}

const query = (fields: Record<string, number>) =>
  new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, String(value)]));

Deno.test("a picture of the past is that of its second", async () => {
  await using served = await servedPast(HISTORY, BEGIN + 1400);
  const chosen = [0, 1, 239, 240, 289, 290, 839, 840, 841, 999, 1000, 1059, 1089, 1200, 1229, 1230, 1399];
  const random = Array.from({ length: 8 }, () => Math.floor(Math.random() * 1090));
  for (const at of [...chosen, ...random]) {
    const { bytes } = await served.past.picture(query({ at: BEGIN + at }), SIGNAL);
    const [second] = secondsIn(await luma(bytes, "-f", "mjpeg"), at >= 1200 ? SMALL : HD);
    assert.equal(second, expected(at), `at ${at}`);
  }
  for (const at of [-1, 1090, 1199, 1400]) {
    await assert.rejects(served.past.picture(query({ at: BEGIN + at }), SIGNAL), /Nothing is kept of/);
  }
});

Deno.test("a sheet has the picture of each of its times, over sizes, and black where nothing is kept", async () => {
  await using served = await servedPast(HISTORY, BEGIN + 1400);
  for (const [start, step] of [[0, 1], [7, 9], [-200, 11], [300, 2], [-5000, 300]]) {
    const { bytes } = await served.past.sheet(query({ start: BEGIN + start, step }), SIGNAL);
    const samples = await luma(bytes, "-f", "mjpeg");
    assert.equal(samples.length, 1920 * 1080);
    for (let place = 0; place < 144; place++) {
      const at = start + place * step;
      const [x, y] = [place % 12 * 160, Math.floor(place / 12) * 90];
      const shown = secondOf(samples, 1920, { width: 160, height: 90 }, x, y);
      const second = expected(at);
      if (second === null) assert.equal(shown, 0, `black at ${at}`);
      else if (step < 300) assert.equal(shown - BEGIN, second, `at ${at} of steps of ${step}`);
      else assert.ok(at - (shown - BEGIN) < step || shown - BEGIN === second, `near ${at}`);
    }
  }
});

Deno.test("a list plays second by second: ffprobe's times go on, and ffmpeg shows each second", async () => {
  await using served = await servedPast(HISTORY, BEGIN + 1400);
  const [start, duration] = [30, 1060];
  const url = served.list(`start=${BEGIN + start}&duration=${duration}`);
  const probed = await run(
    [
      ...[
        "/usr/bin/ffprobe",
        "-v",
        "warning",
        "-show_entries",
        "packet=pts_time,flags:stream=codec_type,codec_name",
      ],
      ...["-of", "json", url],
    ],
    { timeoutMs: 60_000 },
  );
  assert.equal(probed.stderr, "");
  const { packets, streams } = JSON.parse(probed.stdout);
  assert.deepEqual(streams.map((one: { codec_name: string }) => one.codec_name), ["h264"]);
  const times = packets.map((packet: { pts_time: string }) => Number(packet.pts_time));
  assert.deepEqual(times, times.map((_: number, at: number) => at));
  assert.equal(times.length, duration);
  const list = HLS.parse(await (await fetch(url)).text()) as HLS.types.MediaPlaylist;
  const keys = packets.filter(({ flags }: { flags: string }) => flags.startsWith("K")).length;
  assert.equal(keys, list.segments.length, "each segment begins with the one key frame that it has");
  const { stdout, stderr } = await runBytes(
    [
      ...["/usr/bin/ffmpeg", "-v", "warning", "-nostdin", "-i", url, "-fps_mode", "passthrough"],
      ...["-vf", "scale=160:90:flags=area", "-f", "rawvideo", "-pix_fmt", "gray", "pipe:1"],
    ],
    { timeoutMs: 60_000 },
  );
  assert.equal(stderr, "");
  assert.deepEqual(
    secondsIn(stdout, { width: 160, height: 90 }),
    every(start, start + duration).map((second) => expected(second - BEGIN)),
  );
});

Deno.test("a list keeps the rules that Apple's players go by", async () => {
  await using served = await servedPast(HISTORY, BEGIN + 1400);
  const response = await fetch(served.list(`start=${BEGIN - 100}&duration=1500`));
  const text = await response.text();
  const list = HLS.parse(text) as HLS.types.MediaPlaylist;
  const seconds = list.segments.map(({ duration }) => duration);
  const dated = list.segments.filter(({ programDateTime }) => programDateTime);
  const rules: Record<string, boolean> = {
    "its type is registered": response.headers.get("content-type") === "application/vnd.apple.mpegurl",
    "VOD has an end": list.playlistType === "VOD" && list.endlist,
    "no segment is longer than the target": seconds.every((one) => Math.round(one) <= list.targetDuration),
    "nothing that is newer than the version": list.version === 3 && !text.includes("EXT-X-MAP"),
    "a date at the first segment and behind each break": dated.length === 2 &&
      list.segments.filter(({ discontinuity }) => discontinuity).every((one) => dated.includes(one)),
    "dates and durations agree": list.segments.every((one, at) =>
      at === 0 || one.discontinuity || !one.programDateTime
    ),
    "date ranges have a date, with their own ids": new Set(text.match(/DATERANGE:ID="[^"]+"/g)).size ===
      text.match(/START-DATE="/g)!.length,
    "all of what is kept is listed": seconds.reduce((sum, one) => sum + one) === 1090 + 200,
  };
  assert.deepEqual(Object.keys(rules).filter((rule) => !rules[rule]), []);
  assert.deepEqual(dated.map(({ programDateTime }) => programDateTime!.getTime() / 1000 - BEGIN), [0, 1200]);
});

Deno.test("mpv seeks to a moment, and shows its seconds", async () => {
  await using served = await servedPast(HISTORY, BEGIN + 1400);
  await using dir = await tempDir();
  const { code, stdout } = await run(
    [
      ...["/usr/bin/mpv", "--no-config", "--untimed", "--no-audio", "--vo=image", "--vo-image-format=png"],
      ...["--vo-image-png-compression=1", `--vo-image-outdir=${dir.path}`, "--start=205", "--length=6"],
      served.list(`start=${BEGIN + 30}&duration=1000`),
    ],
    { timeoutMs: 60_000 },
  );
  assert.equal(code, 0, stdout);
  const files = (await Array.fromAsync(Deno.readDir(dir.path), ({ name }) => name)).sort();
  const shown = await Promise.all(
    files.map(async (name) => secondsIn(await luma(await Deno.readFile(join(dir.path, name))))[0]),
  );
  assert.deepEqual(shown, [235, 236, 237, 238, 239, 240]);
});

Deno.test("VLC shows second after second", async () => {
  await using served = await servedPast(HISTORY, BEGIN + 1400);
  await using player = await startPlayer("VLC", served.list(`start=${BEGIN + 30}&duration=600`), {
    every: 1,
    isLong: false,
  });
  let seen = 0;
  const shown = new Set<number>();
  await until("the seconds 32 to 35", async () => {
    const whole = player.pictures.slice(seen, -1);
    seen += whole.length;
    const [newest] = whole.slice(-1);
    if (newest) shown.add(secondsIn(await luma(await Deno.readFile(newest.file)))[0]);
    return [32, 33, 34, 35].filter((second) => shown.has(second)).length >= 3;
  });
  assert.deepEqual([...shown], [...shown].toSorted((one, other) => one - other));
});

Deno.test("hls.js in Chromium seeks to a moment on both sides of a gap, and shows its second", async () => {
  await using served = await servedPast(HISTORY, BEGIN + 1400);
  const url = served.list(`start=${BEGIN + 30}&duration=1370`);
  await using browser = await launchShell();
  const page = await openHlsPage(browser, new URL(url).origin, url);
  // behind the gap a player's time goes on without it
  for (const [time, at] of [[100.5, 130], [900.5, 930], [206.5, 236], [1080.5, 1220]]) {
    await page.seek(time);
    await until(`second ${at}`, async () => await page.shownSecond() - BEGIN === expected(at));
  }
  assert.deepEqual(await page.fatalErrors(), []);
});
