/**
 * Each preset, tune and GOP of a stream, on a real channel: what x264 says of itself in the channel's first picture is what
 * was asked for, and the channel goes on with whole segments of its target duration.
 */
import { strict as assert } from "node:assert";
import { ENCODER_PRESETS, ENCODER_TUNES } from "../../lib/model/schema.ts";
import { isMoving, playlistUrl, showsPage, untilPageShown } from "../support/channel.ts";
import { fetchPlaylist, frames, type Playlist } from "../support/media.ts";
import { within } from "../support/within.ts";
import { sharedService, type TestService } from "../support/service.ts";

const FPS = 10;
const BACK_MS = 20_000;
const SETTLED_SEGMENTS = 3;

/** Source: `x264 --fullhelp`, version 164. */
const PRESETS: Record<typeof ENCODER_PRESETS[number], Record<string, string>> = {
  ultrafast: { subme: "0", ref: "1", cabac: "0" },
  superfast: { subme: "1", ref: "1", me: "dia" },
  veryfast: { subme: "2", ref: "1", me: "hex" },
  faster: { subme: "4", ref: "2" },
  fast: { subme: "6", ref: "2" },
  medium: { subme: "7", ref: "3" },
  slow: { subme: "8", ref: "5" },
  slower: { subme: "9", ref: "8", me: "umh" },
  veryslow: { subme: "10", ref: "16", me: "umh" },
  placebo: { subme: "11", ref: "16", me: "tesa" },
};
const TUNES: Record<typeof ENCODER_TUNES[number], Record<string, string>> = {
  zerolatency: { rc_lookahead: "0" },
  stillimage: { deblock: "1:-3:-3" },
  film: { deblock: "1:-1:-1" },
  animation: { deblock: "1:1:1" },
  grain: { deblock: "1:-2:-2" },
  fastdecode: { cabac: "0", deblock: "0:0:0" },
  psnr: { psy: "0", aq: "1:0.00" },
  ssim: { psy: "0", aq: "2:1.00" },
  none: { deblock: "1:0:0", psy: "1" },
};

const serviceTest = sharedService();

/** Changes the stream, and waits for the playlist behind the encoder's restart. */
async function changed(
  service: TestService,
  settings: Record<string, unknown>,
): Promise<{ playlist: Playlist; options: Record<string, string> }> {
  const { id } = await service.sharedStream({ name: "Settings", fps: FPS });
  const url = playlistUrl(service, id);
  await untilPageShown(service, id, 0, { limitMs: BACK_MS });
  let playlist = await fetchPlaylist(url);
  const before = new Set(playlist?.segments.map(({ uri }) => uri));
  const { status } = await service.api("PATCH", `/api/streams/${id}`, settings);
  assert.equal(status, 200);
  let first = -1;
  await within("the new encoder's segments", BACK_MS, async () => {
    playlist = await fetchPlaylist(url);
    if (!playlist) return false;
    const { segments } = playlist;
    first = segments.findIndex(({ discontinuity, uri }) => discontinuity && !before.has(uri));
    return first >= 0 && segments.length - first > SETTLED_SEGMENTS;
  });
  const { segments } = playlist!;
  const own = segments.slice(first);
  // names stay in caches for good; one that the encoder's end cut off after its first picture has no duration
  assert.equal(
    new Set(segments.map(({ uri }) => uri)).size,
    segments.length,
    "each segment has its own name",
  );
  const lasts = segments.map(({ duration }, at) => duration > 0 || segments[at + 1]?.discontinuity);
  assert.ok(lasts.every(Boolean), JSON.stringify(segments));
  // who looks ahead sends the first picture seconds after the first sound
  const bytes = await Promise.all(own.map(async ({ uri }) => await (await fetch(new URL(uri, url))).bytes()));
  const newest = own.slice(-2).map(({ uri }) => frames(new URL(uri, url).href, 1280, 720, FPS));
  const seen = (await Promise.all(newest)).flat();
  assert.ok(seen.every(showsPage), "the page is shown");
  assert.ok(seen.some((frame) => isMoving(seen[0], frame)), "the page moves");
  return { playlist: { ...playlist!, segments: own }, options: x264Options(bytes) };
}

/** What x264 writes of itself into its first picture. */
function x264Options(segments: Uint8Array[]): Record<string, string> {
  // the video's packets of MPEG-TS without their heads; the text is longer than one of them
  const [PACKET, VIDEO_PID] = [188, 0x100];
  let text = "";
  const segment = segments.find((one) => latin1(one).includes("x264 - core"));
  assert.ok(segment, "x264's text");
  for (let at = 0; at < segment.length; at += PACKET) {
    const [, high, low, control, adaptation] = segment.subarray(at, at + 5);
    if (((high & 0x1f) << 8 | low) !== VIDEO_PID) continue;
    const head = (control & 0x20) === 0 ? 4 : 5 + adaptation;
    text += latin1(segment.subarray(at + head, at + PACKET));
  }
  const options = /options: ([\x20-\x7e]+)/.exec(text);
  assert.ok(options, "x264's text");
  return Object.fromEntries(options[1].split(" ").map((one) => one.split("=") as [string, string]));
}

const latin1 = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes);

function assertHas(options: Record<string, string>, wanted: Record<string, string>): void {
  const found = Object.fromEntries(Object.keys(wanted).map((name) => [name, options[name]]));
  assert.deepEqual(found, wanted);
}

for (const preset of ENCODER_PRESETS) {
  serviceTest(`preset ${preset} is x264's, and its channel moves`, async (service) => {
    const { options } = await changed(service, { preset, tune: "none", gop: 0 });
    assertHas(options, PRESETS[preset]);
  });
}

for (const tune of ENCODER_TUNES) {
  serviceTest(`tune ${tune} is x264's, and its channel moves`, async (service) => {
    const { options } = await changed(service, { preset: "medium", tune, gop: 0 });
    assertHas(options, { subme: "7", ...TUNES[tune] });
  });
}

for (const [gop, seconds] of [[5, 1], [10, 1], [20, 2], [25, 2.5], [40, 4], [600, 4]]) {
  serviceTest(`GOP ${gop} of ${FPS} a second makes segments of ${seconds} s`, async (service) => {
    const { playlist } = await changed(service, { preset: "superfast", tune: "zerolatency", gop });
    // the first begins with the sound
    assert.deepEqual(
      playlist.segments.slice(1).map(({ duration }) => duration),
      playlist.segments.slice(1).map(() => seconds),
    );
    assert.equal(playlist.targetDuration, Math.floor(seconds + 0.5));
  });
}
