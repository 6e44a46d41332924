/**
 * Pictures of what changes, for minutes or hours: a page that is still, one with a text that ticks, and one that is still
 * and then moves and beeps, each with four clients. `CAPTURE_MINUTES=120` is the long run.
 */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { playlistUrl } from "../support/channel.ts";
import { checkReport, checkSeconds, longestPause } from "../support/clients.ts";
import { namesIn } from "../support/fixture.ts";
import { openHlsPage, type Playback } from "../support/hls_page.ts";
import { type ChannelReport, watchChannel } from "../support/hls_validator.ts";
import { type Decoded, startMeasuringClient } from "../support/measuring_client.ts";
import { ownMiB } from "../support/memory.ts";
import { type Burst, burstsOf } from "../support/painted_time.ts";
import { startPlayer } from "../support/players.ts";
import { type Lag, watchSegmentClock } from "../support/segment_clock.ts";
import { pause, within } from "../support/within.ts";
import { startService, type TestService } from "../support/service.ts";
import { launchHearingBrowser } from "../support/sound_output.ts";

const MINUTE_MS = 60_000;
const minutes = Number(Deno.env.get("CAPTURE_MINUTES") ?? 10);
assert.ok(minutes >= 3, "CAPTURE_MINUTES: 3 at least");

const PAGES = { still: "still", ticking: "static", bursting: "burst" };
type Name = keyof typeof PAGES;
const NAMES = Object.keys(PAGES) as Name[];

/** Setting up proves nothing here; what has just begun has not come to rest. */
const [SETUP_MS, REST_MS] = [180_000, 15_000];
/** Players may begin with a pause. */
const PLAYER_START_MS = 15_000;
/** Whoever is two segments behind the newest, as mpv and VLC are, has nothing left to show then. */
const PAUSE_SECONDS = 3;
/** A still page has a picture each half second, of which a player may drop some on a full machine; sound comes more often. */
const LEAST_A_SECOND = 1.8;
/** The same, of the stream itself; and one tick more. */
const LONGEST_GAP_SECONDS = 0.5 + 1.5 / 25;
/** From the beginning of a motion to its beep, the other way round, and how much that and stream time may change. */
const [OFFSET_MS, DRIFT_MS] = [80, 40];
const MEMORY_EVERY_MS = 10_000;
/** Memory is compared from here on: by then all has been used once. */
const MEMORY_FROM_MS = 2 * MINUTE_MS;
const MEMORY_SPAN_MS = 30_000;
/** V8 has its young objects and gives them back when it likes; a picture has 1.3 MiB. */
const GROWTH_MIB = { capture: 10, encoder: 5 };

/** A segment a second for 88 s: the media server looks every 44 s, for those older than that. */
const MOST_FILES = 100;

interface Memory {
  at: number;
  program: string;
  mib: number;
}

/** Promises, so that each test fails by what it looks at, and tells of it, and no other does. */
interface Clients {
  playback: Promise<{ from: Playback; to: Playback }>;
  fatalErrors: Promise<string[]>;
  report: Promise<ChannelReport>;
  decoded: Promise<Decoded>;
  lags: Promise<Lag[]>;
  /** mpv's pictures and VLC's sound. */
  played: Record<"mpv" | "VLC", Promise<{ at: number }[]>>;
}

const all = new AsyncDisposableStack();
const clients = {} as Record<Name, Clients>;
const memories: Memory[] = [];
let service: TestService;
let [seconds, from, to] = [NaN, NaN, NaN];
let programs: { before: Record<string, number>; after: Record<string, number> };

Deno.test.beforeAll(async () => {
  service = await startService();
  all.defer(async () => {
    await service.stop();
  });
  const { browser } = all.use(await launchHearingBrowser());
  for (const name of NAMES) {
    await service.create({ name, url: `${service.pageUrl}${PAGES[name]}.html`, fps: 25 });
  }
  for (const name of NAMES) await service.untilState(name, "running");
  await pause(REST_MS);

  const before = await runningPrograms();
  const started = await Promise.all(NAMES.map(async (name) => {
    const url = playlistUrl(service, name);
    const keeping = { every: 1, isLong: true };
    const players = {
      mpv: all.use(await startPlayer("mpv", url, keeping)),
      VLC: all.use(await startPlayer("VLC", url, keeping)),
    };
    const measuring = all.use(await startMeasuringClient(url));
    const page = await openHlsPage(browser, service.url, url, false);
    return {
      ...{ name, players, measuring, page, watch: watchChannel(url) },
      clock: watchSegmentClock(join(service.runDir, "hls/live", name)),
    };
  }));
  for (const { name, page } of started) {
    await within(`${name} to play`, SETUP_MS, async () => (await page.playback()).currentTime > 1, 1000);
  }
  await pause(PLAYER_START_MS);
  from = Date.now();
  const end = from + minutes * MINUTE_MS;
  const playbacks = await Promise.all(started.map(({ page }) => page.playback()));
  for (; Date.now() < end; await pause(MEMORY_EVERY_MS)) {
    for (const [program, pid] of Object.entries(before)) {
      memories.push({ at: Date.now() - from, program, mib: ownMiB(pid) });
    }
  }
  to = Date.now();
  seconds = (to - from) / 1000;
  for (const [index, { name, players, measuring, page, watch, clock }] of started.entries()) {
    const playback = page.playback().then((to) => ({ from: playbacks[index], to }));
    clients[name] = {
      playback,
      fatalErrors: playback.then(() => page.fatalErrors()),
      report: watch.end(),
      decoded: measuring.end(),
      lags: clock.end(),
      played: {
        mpv: players.mpv.stop().then(() => players.mpv.pictures),
        VLC: players.VLC.stop().then(() => players.VLC.soundTimes),
      },
    };
    const { played, ...others } = clients[name];
    await Promise.allSettled([...Object.values(played), ...Object.values(others)]);
  }
  programs = { before, after: await runningPrograms() };
});
Deno.test.afterAll(() => all.disposeAsync());

/** The pids of what makes pictures and channels of them. */
async function runningPrograms(): Promise<Record<string, number>> {
  const [capture] = service.processes(/ capture$/);
  const encoders = await Promise.all(
    NAMES.map(async (name) => [`encoder ${name}`, await service.programPid(`encoder-${name}`)] as const),
  );
  return { capture, ...Object.fromEntries(encoders) };
}

function median(values: number[]): number {
  assert.ok(values.length > 0, "there is nothing to compare");
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

const shown = (values: number[]) =>
  `${median(values).toFixed(0)} ms (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)})`;

for (const name of NAMES) {
  Deno.test(`${name}: every segment is on time, lasts 1 s to the millisecond, and breaks no rule`, async () => {
    const report = await clients[name].report;
    checkReport(report);
    checkSeconds(report, seconds);
    assert.deepEqual([...new Set(report.durations)], [1]);
  });

  Deno.test(`${name}: ffmpeg decodes it without an error, and no picture is missing`, async () => {
    const { errors, pictures } = await clients[name].decoded;
    assert.equal(errors, "");
    const gaps = pictures.slice(1).map(({ at }, index) => at - pictures[index].at);
    console.log(`${name}: ${pictures.length} pictures, ${Math.max(...gaps).toFixed(3)} s apart at most`);
    assert.ok(Math.min(...gaps) > 0, "times do not rise");
    assert.ok(Math.max(...gaps) < LONGEST_GAP_SECONDS);
    const lasted = pictures.at(-1)!.at - pictures[0].at;
    assert.ok(lasted > seconds, `${lasted} s in ${seconds} s`);
  });

  for (const player of ["mpv", "VLC"] as const) {
    Deno.test(`${name}: ${player} plays on without a pause`, async () => {
      const played = (await clients[name].played[player])
        .filter(({ at }) => at > from && at < to);
      const expected = seconds * LEAST_A_SECOND;
      console.log(`${name}, ${player}: ${played.length} times, longest pause ${longestPause(played)} s`);
      assert.ok(played.length > expected, `${played.length} times`);
      assert.ok(longestPause([...played, { at: to }]) < PAUSE_SECONDS);
    });
  }

  Deno.test(`${name}: hls.js plays on without a stall`, async () => {
    const fatalErrors = await clients[name].fatalErrors;
    const { from, to } = await clients[name].playback;
    const lost = (to.at - from.at) / 1000 - (to.currentTime - from.currentTime);
    console.log(
      `${name}, hls.js: ${to.stalls} stalls, longest pause ${
        to.longestPauseMs.toFixed(0)
      } ms, ${lost} s lost`,
    );
    assert.deepEqual(fatalErrors, []);
    assert.equal(to.stalls, 0);
    assert.ok(to.longestPauseMs < PAUSE_SECONDS * 1000);
    assert.ok(Math.abs(lost) < 1, `${lost} s were not played`);
  });

  Deno.test(`${name}: stream time does not drift from the wall clock`, async () => {
    const lags = await clients[name].lags;
    // the least of a minute: what is more was the machine's
    const least = (begin: number, end: number) =>
      Math.min(...lags.filter(({ at }) => at >= begin && at < end).map(({ lagMs }) => lagMs));
    const drift = least(to - MINUTE_MS, to) - least(from, from + MINUTE_MS);
    console.log(`${name}: stream time drifted by ${drift.toFixed(1)} ms in ${seconds.toFixed(0)} s`);
    assert.ok(lags.length > seconds * 0.9, `${lags.length} segments`);
    assert.ok(Math.abs(drift) < DRIFT_MS);
  });
}

Deno.test("the segments of all that time are gone from memory", async () => {
  for (const name of NAMES) {
    const names = await namesIn(join(service.runDir, "hls/live", name));
    console.log(`${name}: ${names.length} files`);
    assert.ok(names.length < MOST_FILES, `${names.length} files`);
  }
});

/** Of the bursts of the first and the last time, as many as are in two minutes, or half of all. */
function ends(bursts: Burst[], value: (burst: Burst) => number): { first: number; last: number } {
  const count = Math.min(Math.floor(bursts.length / 2), 5);
  return {
    first: median(bursts.slice(0, count).map(value)),
    last: median(bursts.slice(-count).map(value)),
  };
}

Deno.test("bursting: sound and picture are together at the beginning of a motion, and stay so", async () => {
  const { pictures, beeps } = await clients.bursting.decoded;
  const bursts = burstsOf(pictures, beeps);
  const offset = ({ beepAt, pictureAt }: Burst) => (beepAt - pictureAt) * 1000;
  const offsets = bursts.map(offset);
  const { first, last } = ends(bursts, offset);
  console.log(
    `the sound is behind by ${shown(offsets)} in ${bursts.length} bursts, drift ${last - first} ms`,
  );
  assert.ok(bursts.length >= Math.floor(seconds / 25) - 1, `${bursts.length} bursts`);
  assert.ok(Math.abs(median(offsets)) <= OFFSET_MS);
  // a full machine paints or plays one of them late
  const far = offsets.filter((ms) => Math.abs(ms) > OFFSET_MS);
  assert.ok(far.length <= offsets.length / 10, `${far}`);
  assert.ok(Math.abs(last - first) < DRIFT_MS);
});

Deno.test("bursting: a painting's stream time does not drift from the page's clock", async () => {
  const { pictures, beeps } = await clients.bursting.decoded;
  const bursts = burstsOf(pictures, beeps);
  const origin = bursts[0].pictureAt * 1000 - bursts[0].painted;
  // the pictures' time is the time of the stream, which counts from anywhere; both may begin anew at an end of theirs
  const behind = ({ pictureAt, painted }: Burst) => {
    const ms = (pictureAt * 1000 - painted - origin) % 2 ** 32;
    return ms < -(2 ** 31) ? ms + 2 ** 32 : ms;
  };
  const { first, last } = ends(bursts, behind);
  console.log(
    `a picture's time is ${shown(bursts.map(behind))} from the first one's, drift ${last - first} ms`,
  );
  assert.ok(Math.abs(last - first) < DRIFT_MS);
});

Deno.test("the capture program and the encoders run on, take pictures of what changes, and use no more memory", async () => {
  assert.deepEqual(programs.after, programs.before, "one was started again");
  for (const name of NAMES) {
    const log = await Deno.readTextFile(join(service.dataDir, "logs", name, "encoder.log"));
    assert.match(log, /pictures are taken of what changes/);
    assert.doesNotMatch(log, /takes every/);
  }
  for (const program of Object.keys(programs.before)) {
    const own = memories.filter((one) => one.program === program);
    const within = (begin: number, end: number) =>
      median(own.filter(({ at }) => at >= begin && at < end).map(({ mib }) => mib));
    const early = within(MEMORY_FROM_MS, MEMORY_FROM_MS + MEMORY_SPAN_MS);
    const late = within(to - from - MEMORY_SPAN_MS, Infinity);
    console.log(`${program}: ${early.toFixed(1)} MiB, then ${late.toFixed(1)} MiB`);
    assert.ok(late > 0);
    assert.ok(late - early < GROWTH_MIB[program === "capture" ? "capture" : "encoder"]);
  }
});
