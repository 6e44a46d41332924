/** What has to hold for a channel, whichever way the program is run: from the bundle, or compiled. */
import { strict as assert } from "node:assert";
import { processesOfRun } from "../../lib/system/orphans.ts";
import { run } from "../../lib/system/process.ts";
import { isMoving, PAGE_COLOUR, playlistUrl, showsPage, untilPageShown } from "./channel.ts";
import { fetchPlaylist, frames, isColour, pixel, probe, sound } from "./media.ts";
import { commandLine, isRoot } from "./proc.ts";
import { until } from "./same.ts";
import { canRun, type Options, startService, type TestService } from "./service.ts";
import { pause } from "./within.ts";

type Check = (service: TestService, id: string) => Promise<void>;

/** How long the playlist is watched: its eight segments are others after it. */
const WATCH_MS = 8000;
const PASSWORD = "hunter2secret";

export const CHANNEL_CHECKS: Record<string, Check> = {
  "players get H.264 yuv420p 1280x720 with at most 25 fps and AAC of 48 kHz": async (service, id) => {
    for (const address of [playlistUrl(service, id), `${service.mediaUrl}/live/${id}/index.m3u8`]) {
      const { streams } = await probe(address);
      const video = streams.find(({ codec_type }) => codec_type === "video")!;
      const audio = streams.find(({ codec_type }) => codec_type === "audio")!;
      const { codec_name, pix_fmt, width, height } = video;
      assert.deepEqual([codec_name, pix_fmt, width, height], ["h264", "yuv420p", 1280, 720]);
      assert.ok(Number(video.level) <= 41, `level ${video.level}`);
      assert.deepEqual(
        [audio.codec_name, audio.sample_rate, audio.channels],
        ["aac", "48000", 2] as unknown[],
      );
    }
    const { segments } = (await fetchPlaylist(playlistUrl(service, id)))!;
    const segment = new URL(segments.at(-1)!.uri, playlistUrl(service, id)).href;
    const [{ nb_read_packets }] = (await probe(segment, "-count_packets", "-select_streams", "v")).streams;
    const pictures = Number(nb_read_packets);
    // this page moves all the time
    assert.ok(pictures > 4 && pictures <= 26, `${pictures} pictures in a second`);
  },

  "the video is the page: its colour at a known point, moving, up to the last pixel": async (service, id) => {
    const seen = await frames(playlistUrl(service, id), 1280, 720, 30);
    assert.equal(seen.length, 30);
    assert.ok(showsPage(seen[0]), `colour ${pixel(seen[0], 1100, 600)}`);
    assert.ok(isMoving(seen[0], seen[9]), "frames do not differ");
    assert.ok(isColour(pixel(seen[0], 1279, 719), PAGE_COLOUR), `corner ${pixel(seen[0], 1279, 719)}`);
  },

  "the target duration is constant, the sequence never goes back, six segments are listed": async (
    service,
    id,
  ) => {
    const url = playlistUrl(service, id);
    const targetDurations = new Set<number>();
    let last = 0;
    for (const end = Date.now() + WATCH_MS; Date.now() < end; await pause(250)) {
      const playlist = await fetchPlaylist(url);
      assert.ok(playlist && playlist.sequence >= last);
      last = playlist.sequence;
      targetDurations.add(playlist.targetDuration);
    }
    assert.deepEqual([...targetDurations], [1]);
    const { segments } = (await fetchPlaylist(url))!;
    assert.ok(segments.length >= 6, `${segments.length} segments`);
    for (const { duration } of segments) assert.ok(Math.round(duration) <= 1, `${duration} s`);
  },

  "the page's tone of 440 Hz is heard": async (service, id) => {
    const { rms, frequency } = await sound(playlistUrl(service, id), 3);
    assert.ok(rms > 0.05, `rms ${rms}`);
    assert.ok(Math.abs(frequency - 440) < 15, `${frequency} Hz`);
  },

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

  "nothing of the pipeline runs as root, Chromium has its sandbox": async (service, id) => {
    // a program that is just starting is ours, and gives root up before it does anything
    let asRoot: string[] = [];
    await until("all to have given up root", () => {
      const commands = processesOfRun(service.runDir).filter(isRoot).map(commandLine);
      asRoot = commands.filter((command) => !/ serve$|supervisord/.test(command));
      return Deno.uid() !== 0 || asRoot.length === 0;
    }).catch((error) => assert.fail(`${error.message}: ${asRoot.join("; ")}`));
    assert.ok(!commandLine(await service.programPid(`browser-${id}`)).includes("--no-sandbox"));
    const encoder = await service.programPid(`encoder-${id}`);
    const environment = await Deno.readTextFile(`/proc/${encoder}/environ`);
    assert.ok(!environment.includes("DATA_DIR="), "the service's environment leaks");
  },

  // only root can be another user
  "another user of the machine cannot use the display [needs root]": async (service, id) => {
    const display = commandLine(await service.programPid(`display-${id}`)).split(" ")[1];
    const asNobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"];
    const { code } = await run([...asNobody, "xrandr", "-d", display], { timeoutMs: 5000 });
    assert.notEqual(code, 0);
  },
};

/** Starts a service, makes a channel and checks all of it. */
export async function checkChannel(_: Deno.TestContext, options: Options): Promise<void> {
  const service = await startService(options);
  try {
    const { id } = await service.create({ name: "Clock", fps: 25 });
    await untilPageShown(service, id, 0);
    for (const [name, check] of Object.entries(CHANNEL_CHECKS).filter(([name]) => canRun(name))) {
      await check(service, id).catch((error) => {
        throw new Error(name, { cause: error });
      });
    }
  } finally {
    await service.stop();
  }
}
