/** Whether a client that plays the test page's channel shows and plays it, in spans of time. */
import { strict as assert } from "node:assert";
import { median } from "../../bench/figures.ts";
import { PAGE_COLOUR } from "./channel.ts";
import { dateOff, type HlsPage, type Sample } from "./hls_page.ts";
import type { ChannelReport } from "./hls_validator.ts";
import { parseM3u } from "./m3u.ts";
import { isColour } from "./media.ts";
import { movingIn, type PlayerName, type Playing } from "./players.ts";
import { type TestService } from "./service.ts";
import { pause } from "./within.ts";

/** Of the pictures that a player keeps, one a second: one falls out of a span at either end, and one may come late. */
const MISSING_FRAMES = 2;
/** Share of the samples of hls.js, one a second, that have a newer frame; a sample may come before a late segment. */
const NEWER_SHARE = 0.8;
/** Segments come every second; RFC 8216 6.2.2 allows 1.5 s, and the validator looks 5 times a second. */
const LATE_MS = 1500 + 200;
/** One late segment in twenty is what a machine with other work may cost; at two behind the newest it goes unseen. */
const LATE_SHARE = 0.05;
/** Players are two or three segments behind the newest: later than this, a picture stands still. */
const TOO_LATE_MS = 3000;
/** Milliseconds by which the date of hls.js may differ from the clock that its picture shows. */
const DATE_MS = 500;

/** Unix times in milliseconds. */
export interface Span {
  what: string;
  from: number;
  to: number;
}

/** The channel's address in the IPTV playlist. @param token of an app, if it has one. */
export async function playlistAddress(service: TestService, name: string, token?: string): Promise<string> {
  const base = token === undefined ? service.url : `${service.url}/t/${token}`;
  const { channels } = parseM3u(await fetch(`${base}/playlist.m3u?running=1`).then((r) => r.bytes()));
  assert.deepEqual(channels.map((channel) => channel.name), [name]);
  const [{ url }] = channels;
  assert.ok(url.startsWith(`${base}/`), url);
  return url;
}

/** A player that has stopped: a moving picture of the page in each span, and at the end its tone. */
export async function checkPlayer(name: PlayerName, player: Playing, spans: Span[]): Promise<void> {
  const { pictures } = player;
  console.log(`${name}: ${pictures.length} pictures, longest pause ${longestPause(pictures)} s`);
  for (const span of spans) {
    const seen = within(pictures, span);
    const seconds = (span.to - span.from) / 1000;
    assert.ok(
      seen.length >= seconds - MISSING_FRAMES,
      `${span.what}: ${seen.length} pictures in ${seconds} s`,
    );
    const colours = await Promise.all(seen.slice(-3).map((picture) => movingIn(name, picture)));
    assert.ok(new Set(colours.map(String)).size > 1, `${span.what}: the picture stands still`);
  }
  if (name === "mpv") return assert.match(await player.log(), /AO: \[null\] 48000Hz stereo/);
  const sounds = await player.lastSounds(5);
  const tones = sounds.filter(({ rms, frequency }) => rms > 0.05 && Math.abs(frequency - 440) < 15);
  assert.ok(tones.length >= 4, `the tone is not heard: ${JSON.stringify(sounds)}`);
}

/** What hls.js showed, sampled once a second. */
export function checkSamples(samples: Sample[], spans: Span[]): void {
  const advancing = samples.filter(({ currentTime, frames }, at) =>
    at > 0 && currentTime > samples[at - 1].currentTime && frames > samples[at - 1].frames
  );
  console.log(`hls.js: longest pause ${longestPause(advancing)} s`);
  for (const span of spans) {
    const count = within(samples, span).length;
    const seen = within(advancing, span);
    assert.ok(
      seen.length >= Math.max(3, count * NEWER_SHARE),
      `${span.what}: ${seen.length} of ${count} newer`,
    );
    for (const { plain } of seen) {
      assert.ok(isColour(plain, PAGE_COLOUR), `${span.what}: not the page: ${plain}`);
    }
    const off = seen.map(dateOff).filter((ms) => ms !== null);
    assert.ok(off.length > 0 && Math.abs(median(off)) < DATE_MS, `${span.what}: dates are off by ${off} ms`);
    assert.ok(
      new Set(seen.map(({ moving }) => String(moving))).size > 1,
      `${span.what}: the picture stands still`,
    );
  }
}

/** No rule of RFC 8216 was broken, and the headers are those we promise. */
export function checkReport(report: ChannelReport): void {
  console.log(summary(report));
  assert.deepEqual(report.problems, []);
}

/** As many segments came as seconds went by, and none was late. */
export function checkSeconds(report: ChannelReport, seconds: number): void {
  const faulty = report.faults.reduce((sum, { gap }) => sum + gap / 1000, 0);
  assert.ok(report.segments >= seconds - faulty - 2, `${report.segments} segments in ${seconds} s`);
  const { intervals } = report;
  const late = intervals.filter((ms) => ms > LATE_MS);
  assert.ok(late.length <= intervals.length * LATE_SHARE, `late: ${late}`);
  assert.ok(intervals.at(-1)! < TOO_LATE_MS, `late: ${late}`);
}

function within<T extends { at: number }>(all: T[], { from, to }: Span): T[] {
  return all.filter(({ at }) => at > from && at < to);
}

/** Samples the page in the background. @returns the samples so far, and what ends it. */
export function sampleEverySecond(page: HlsPage): { samples: Sample[]; end(): Promise<Sample[]> } {
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
    samples,
    end: () => {
      hasEnded = true;
      return sampling;
    },
  };
}

/** Seconds, to a tenth. */
export function longestPause(all: { at: number }[]): number {
  return Math.round(Math.max(...all.slice(1).map(({ at }, index) => at - all[index].at)) / 100) / 10;
}

function summary({ polls, segments, faults, intervals }: ChannelReport): string {
  const at = (share: number) => Math.round(intervals[Math.floor((intervals.length - 1) * share)]);
  const gaps = faults.map(({ what, gap }) => `${Math.round(gap)} ms by ${what}`);
  return `validator: ${polls} polls, ${segments} segments, one each ${at(0.5)} ms (95 %: ${at(0.95)}, most ${
    at(1)
  }), longest without: ${gaps.join(", ")}`;
}
