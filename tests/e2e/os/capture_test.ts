/** Pictures of what changes: with a real X server, and in the whole service. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { askForPictures, videoSocket } from "../../../lib/capture/ask.ts";
import { DisplaySockets } from "../../../lib/capture/display_sockets.ts";
import { matroskaHeader, PICTURE_HEAD_BYTES } from "../../../lib/capture/matroska.ts";
import { Screen } from "../../../lib/capture/screen.ts";
import { newXauthority } from "../../../lib/pipeline/xauth.ts";
import { setLogLevel } from "../../../lib/system/log.ts";
import { readCookie } from "../../../lib/x11/connection.ts";
import { ownMemory } from "../../support/capture_display.ts";
import { newestSequence, playlistUrl, untilPageShown } from "../../support/channel.ts";
import { fetchPlaylist } from "../../support/media.ts";
import { pixelsModule } from "../../support/pixels.ts";
import { childrenOf, commandLine, niceness } from "../../support/proc.ts";
import { until } from "../../support/same.ts";
import { sharedService, type TestService } from "../../support/service.ts";
import { type Display, fillRectangle, startDisplay } from "../../support/x_display.ts";
import { inSoak } from "../../support/soak.ts";
import { tellTime } from "../../support/times.ts";

const serviceTest = sharedService();

setLogLevel("error");

const SIZE = { width: 642, height: 362 };
const WANTED = { output: { width: 322, height: 182 }, fps: 25, gop: 25 };
const PICTURE = PICTURE_HEAD_BYTES + 322 * 182 * 3 / 2;

/** A reader of a real display's pictures. */
async function withReader(
  test: (display: Display, next: () => Promise<Uint8Array>) => Promise<void>,
): Promise<void> {
  await using display = await startDisplay(SIZE, newXauthority());
  const openScreen = async () => await Screen.open(display.socket, await readCookie(display.key), SIZE);
  const parts = { display: display.display, pixels: pixelsModule, openScreen };
  const sockets = new DisplaySockets(parts, display.folder, 0o600);
  try {
    await askForPictures(display.folder, WANTED, 1000);
    using reader = await Deno.connect({ transport: "unix", path: videoSocket(display.folder) });
    const take = async (count: number) => {
      const bytes = new Uint8Array(count);
      for (let at = 0; at < count;) {
        const read = await reader.read(bytes.subarray(at));
        if (read === null) throw new Error("the end");
        at += read;
      }
      return bytes;
    };
    await take(matroskaHeader(WANTED.output, WANTED.fps).length);
    await test(display, async () => (await take(PICTURE)).subarray(PICTURE_HEAD_BYTES));
  } finally {
    await sockets.stop();
  }
}

/** The three numbers of a point of the picture. */
function colourAt(planes: Uint8Array, x: number, y: number): number[] {
  const { width, height } = WANTED.output;
  const chroma = (y >> 1) * (width >> 1) + (x >> 1);
  const [u, v] = [width * height, width * height * 5 / 4];
  return [planes[y * width + x], planes[u + chroma], planes[v + chroma]];
}

Deno.test("capture: a real display's pictures show what is painted, in its colours", () =>
  withReader(async (display, next) => {
    // red, green and blue of 75 % bars, as ITU-R BT.709 has them in limited range
    const bars: [colour: number, yuv: number[]][] = [
      [0xbf0000, [51, 109, 212]],
      [0x00bf00, [133, 63, 52]],
      [0x0000bf, [28, 212, 120]],
    ];
    for (const [colour, yuv] of bars) {
      await fillRectangle(display, { x: 200, y: 100, width: 200, height: 100 }, colour);
      let seen: number[] = [];
      await until(`#${colour.toString(16)}, not ${seen}`, async () => {
        seen = colourAt(await next(), 150, 75);
        return seen.every((value, at) => Math.abs(value - yuv[at]) <= 1);
      });
      const outside = colourAt(await next(), 150, 20);
      assert.notDeepEqual(outside, seen);
    }
  }));

Deno.test("capture: a real display that is killed ends its reader, and leaves no memory", () =>
  withReader(async (display, next) => {
    await next();
    await display.kill();
    const killedAt = performance.now();
    await assert.rejects(async () => {
      while (true) await next();
    }, /the end/);
    tellTime("the end of a reader after its display", (performance.now() - killedAt) / 1000, 1);
    await until("the memory to be given back", () => ownMemory() === 0);
  }));

/** What the newest encoder of a stream says of its pictures. */
async function encoderLog({ dataDir }: TestService, id: string): Promise<string[]> {
  const text = await Deno.readTextFile(join(dataDir, "logs", id, "encoder.log"));
  return text.split("\n").filter((line) => /pictures|takes every/.test(line));
}

/** Without sound, for which the media server waits: a full machine would break a segment for it. */
const MOVING = { name: "Moving", fps: 25, audio: false };

const TAKEN = "pictures are taken of what changes";

inSoak(serviceTest)(
  "capture: a stream's segments are of one second each, moving or still",
  async (service) => {
    const moving = await service.sharedStream(MOVING);
    const still = await service.sharedStream({
      name: "Still",
      url: `${service.pageUrl}still.html`,
      audio: false,
    });
    for (const { id } of [moving, still]) {
      await until(`six segments of ${id}`, async () => {
        const playlist = await fetchPlaylist(playlistUrl(service, id));
        if (!playlist || playlist.segments.length < 6) return false;
        // the first after a start may be shorter by what came before the sound
        assert.deepEqual(playlist.segments.slice(-5).map(({ duration }) => duration), [1, 1, 1, 1, 1]);
        return true;
      });
      assert.deepEqual(await encoderLog(service, id), [TAKEN]);
    }
  },
);

inSoak(serviceTest)(
  "where processors are short, a browser gives way, and nobody else does",
  async (service) => {
    const { id } = await service.sharedStream(MOVING);
    await untilPageShown(service, id, 0); // Chromium has started all it needs
    const below = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(below)];
    const browser = below(await service.programPid(`browser-${id}`)).filter((pid) =>
      /chromium/.test(commandLine(pid))
    );
    assert.ok(browser.length >= 4, "Chromium and what it has started");
    const usual = niceness(service.pid);
    for (const pid of browser) assert.equal(niceness(pid), Math.min(19, usual + 5), commandLine(pid));
    const encoder = await service.programPid(`encoder-${id}`);
    for (const pid of [encoder, ...service.processes(/ (capture|serve|up)$|supervisord |nginx/)]) {
      assert.equal(niceness(pid), usual, commandLine(pid));
    }
  },
);

for (const signal of ["SIGKILL", "SIGSTOP"] as const) {
  inSoak(serviceTest)(
    `capture: ${signal} of the capture program: pictures are back, and from it`,
    async (service) => {
      const { id } = await service.sharedStream(MOVING);
      await untilPageShown(service, id, 0);
      const [pid] = service.processes(/ capture$/);
      const before = await newestSequence(service, id);
      Deno.kill(pid, signal);
      await untilPageShown(service, id, before + 2);
      assert.equal((await encoderLog(service, id)).at(-1), TAKEN);
      assert.notEqual(service.processes(/ capture$/)[0], pid);
    },
  );
}
