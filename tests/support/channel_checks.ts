/**
 * What has to hold for a channel. It is recorded once, as a player gets it, and the recording is judged afterwards, by the
 * times in it: nothing is judged by when it came. Whichever way the program is run, the page is seen and heard.
 */
import { Buffer } from "node:buffer";
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { median } from "../../bench/figures.ts";
import { processesOfRun } from "../../lib/machine/os/orphans.ts";
import { run } from "../../lib/machine/os/process.ts";
import { isMoving, PAGE_COLOUR, playlistUrl, shownTime, showsPage, untilPageShown } from "./channel.ts";
import { decode, type DecodedTrack } from "./decoding.ts";
import { type ChannelReport, type Part, watchChannel } from "./hls_validator.ts";
import { frames, isColour, pixel, probe, sound } from "./media.ts";
import { commandLine, isRoot } from "./proc.ts";
import { same } from "./same.ts";
import { type Options, SMALL, startService, type TestService } from "./service.ts";
import { apart } from "./painted_time.ts";
import { checkTransport } from "./transport_checker.ts";

/** Of the channel that is recorded. */
export const RECORDED = { fps: 10, scale: "1280x720" };
/** Segments before what breaks the channel, and behind it; each lasts a second. */
const SEGMENTS = 6;
/** Seconds that the media server's clock, in milliseconds, and rounding may take from what a segment lasts. */
const INEXACT = 0.05;
/** Seconds between pictures where a page does not change (docs/pipeline.md). */
const STILL = 0.5;
/** Milliseconds by which a date may differ from the clock that a picture shows. */
const DATE_MS = 500;
const PASSWORD = "hunter2secret";

/** Segments without a break between them. */
export interface Run {
  parts: Part[];
  /** All of them, in a row. */
  file: string;
}

export interface Recording {
  report: ChannelReport;
  runs: Run[];
}

/**
 * Records a channel that is on. @param folder for its files. @param fault breaks it in the middle, by its name.
 */
export async function recordChannel(
  url: string,
  folder: string,
  fault?: { what: string; action: () => unknown },
): Promise<Recording> {
  const watch = watchChannel(url, true);
  // those of the first look are not recorded: they may be of the encoder's first seconds
  await watch.segments(SEGMENTS);
  if (fault) await watch.fault(fault.what, fault.action);
  await watch.segments(SEGMENTS);
  const report = await watch.end();
  const groups = [...Map.groupBy(report.parts, ({ discontinuity }) => discontinuity)];
  const runs = groups.map(([at, parts]) => ({ parts, file: join(folder, `${at}.ts`) }));
  for (const { parts, file } of runs) {
    await Deno.writeFile(file, Buffer.concat(parts.map(({ bytes }) => bytes)));
  }
  return { report, runs };
}

/** What ffmpeg makes of a file, once for all who judge it. */
const decodings = new Map<string, ReturnType<typeof decode>>();

function decodedOnce(file: string): ReturnType<typeof decode> {
  if (!decodings.has(file)) decodings.set(file, decode(file));
  return decodings.get(file)!;
}

/** Each judges one recording. */
export const RECORDING_CHECKS: Record<string, (recording: Recording) => void | Promise<void>> = {
  "no rule of RFC 8216 is broken, and the headers are those we promise": ({ report }) => {
    assert.deepEqual(report.problems, []);
  },

  "segments come in order, none is missing, and each lasts what the playlist says": ({ report, runs }) => {
    const sequences = report.parts.map(({ sequence }) => sequence);
    assert.deepEqual(sequences, sequences.map((_, at) => sequences[0] + at));
    const wrong = runs.flatMap(({ parts }) =>
      parts.slice(1).flatMap((next, at) => {
        const { uri, duration, bytes } = parts[at];
        const lasts = checkTransport(next.bytes).pictureTimes[0] - checkTransport(bytes).pictureTimes[0];
        const isRight = Math.abs(lasts - duration) < INEXACT && Math.round(duration) === 1;
        return isRight ? [] : [`${uri}: ${duration} s, and lasts ${lasts} s`];
      })
    );
    assert.deepEqual(wrong, []);
  },

  "players get H.264 yuv420p 1280x720, and AAC of 48 kHz": async ({ runs }) => {
    for (const { file } of runs) {
      const { streams } = await probe(file, "-f", "mpegts");
      const video = streams.find(({ codec_type }) => codec_type === "video")!;
      const audio = streams.find(({ codec_type }) => codec_type === "audio")!;
      const { codec_name, pix_fmt, width, height } = video;
      assert.deepEqual([codec_name, pix_fmt, width, height] as unknown[], ["h264", "yuv420p", 1280, 720]);
      assert.ok(Number(video.level) <= 41, `level ${video.level}`);
      assert.deepEqual(
        [audio.codec_name, audio.sample_rate, audio.channels] as unknown[],
        ["aac", "48000", 2],
      );
    }
  },

  "the picture is the page: its colour at a known point, moving, up to the last pixel": async ({ runs }) => {
    for (const { file } of runs) {
      const seen = await frames(file, 1280, 720, 20);
      assert.equal(seen.length, 20);
      assert.ok(showsPage(seen[0]), `colour ${pixel(seen[0], 1100, 600)}`);
      assert.ok(isMoving(seen[0], seen[9]), "frames do not differ");
      assert.ok(isColour(pixel(seen[0], 1279, 719), PAGE_COLOUR), `corner ${pixel(seen[0], 1279, 719)}`);
    }
  },

  "the list's dates are those of the clock that the page shows": async ({ runs }) => {
    for (const { parts, file } of runs) {
      const jumps = parts.slice(1).filter(({ date }, at) =>
        !(Math.abs(date! - parts[at].date! - parts[at].duration * 1000) < 1000 * INEXACT)
      );
      assert.deepEqual(jumps.map(({ uri }) => uri), [], "dates go on by the durations");
      const { video: { times } } = await decodedOnce(file);
      const off = (await frames(file, 1280, 720, 20)).flatMap((frame, at) => {
        const shown = shownTime(frame, 720);
        return shown === null ? [] : [apart(parts[0].date! + (times[at] - times[0]) * 1000, shown)];
      });
      assert.ok(off.length >= 10, `${off.length} pictures can be read`);
      assert.ok(Math.abs(median(off)) < DATE_MS, `${off} ms`);
    }
  },

  "the page's tone of 440 Hz is heard": async ({ runs }) => {
    for (const { file } of runs) {
      const { rms, frequency } = await sound(file, 3);
      assert.ok(rms > 0.05, `rms ${rms}`);
      assert.ok(Math.abs(frequency - 440) < 15, `${frequency} Hz`);
    }
  },

  "ffmpeg decodes it without an error, and times only rise": async ({ runs }) => {
    for (const { file } of runs) {
      const { video, audio } = await decodedOnce(file);
      const falls = [video, audio].map(({ times }) => times.filter((time, at) => time <= times[at - 1]));
      assert.deepEqual(falls, [[], []]);
    }
  },

  "no picture is missing, none is too much, and the sound lasts as long": async ({ runs: [{ file }] }) => {
    const { video, audio } = await decodedOnce(file);
    const span = ({ times }: DecodedTrack) => times.at(-1)! - times[0];
    const { fps } = RECORDED;
    assert.ok(video.times.length <= span(video) * fps * 1.04 + 1, `${video.times.length} pictures`);
    // this page changes all the time
    assert.ok(video.changes > span(video) * fps / 2, `${video.changes} pictures differ from the one before`);
    const longest = Math.max(...video.times.slice(1).map((time, at) => time - video.times[at]));
    assert.ok(longest < STILL + 1.5 / fps, `no picture for ${longest} s`);
    // no sum of durations: MPEG-TS has none, and players take the distance to the next picture
    assert.ok(Math.abs(span(video) - span(audio)) < 0.3 + 1 / fps, `${span(video)} s and ${span(audio)} s`);
    assert.ok(Math.abs(video.times[0] - audio.times[0]) < 0.3, `${video.times[0]} and ${audio.times[0]}`);
  },
};

/** Nothing of a pipeline runs as root, and Chromium has its sandbox. */
async function checkUsers(service: TestService, id: string): Promise<void> {
  // a program that is just starting is ours, and gives root up before it does anything
  await same(() => {
    const commands = processesOfRun(service.runDir).filter(isRoot).map(commandLine);
    return Deno.uid() === 0 ? commands.filter((command) => !/ serve$|supervisord/.test(command)) : [];
  }, []);
  assert.ok(!commandLine(await service.programPid(`browser-${id}`)).includes("--no-sandbox"));
  const encoder = await service.programPid(`encoder-${id}`);
  const environment = await Deno.readTextFile(`/proc/${encoder}/environ`);
  assert.ok(!environment.includes("DATA_DIR="), "the service's environment leaks");
}

/** What holds for the programs of a channel. */
export const PIPELINE_CHECKS: Record<string, (service: TestService, id: string) => Promise<void>> = {
  "the password is in no answer, log, command line or readable file": async (service, id) => {
    const changed = await service.api("PATCH", `/api/streams/${id}`, { pass: PASSWORD });
    const text = await changed.text();
    assert.equal(changed.status, 200);
    assert.ok(!text.includes(PASSWORD));
    assert.equal(JSON.parse(text).passSet, true);
    assert.ok(!service.output().includes(PASSWORD));
    assert.equal((await Deno.stat(`${service.dataDir}/streams/streams.json`)).mode! & 0o777, 0o600);
    const all = processesOfRun(service.runDir).map(commandLine).join("\n");
    assert.ok(!all.includes(PASSWORD), "the password is in the process list");
  },

  "nothing of the pipeline runs as root, Chromium has its sandbox": checkUsers,

  // only root can be another user
  "another user of the machine cannot use the display [needs root]": async (service, id) => {
    const display = commandLine(await service.programPid(`display-${id}`)).split(" ")[1];
    const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];
    const { code } = await run([...asNobody, "xrandr", "-d", display], { timeoutMs: 5000 });
    assert.notEqual(code, 0);
  },
};

/** Starts a service, makes a channel, and looks for the page's picture, its tone, and the users of its programs. */
export async function checkChannel(options: Options): Promise<void> {
  const service = await startService({ streams: SMALL, ...options });
  try {
    const { id } = await service.create({ name: "Clock" });
    await untilPageShown(service, id, 0);
    await same(
      async () => {
        const { rms, frequency } = await sound(playlistUrl(service, id), 2);
        return rms > 0.05 && Math.abs(frequency - 440) < 15;
      },
      true,
      "the page's tone",
    );
    await checkUsers(service, id);
  } finally {
    await service.stop();
  }
}
