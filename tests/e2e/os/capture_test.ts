/** Pictures of what changes, of a real X server. */
import { strict as assert } from "node:assert";
import { askForPictures, videoSocket } from "../../../lib/display/capture/ask.ts";
import { DisplaySockets } from "../../../lib/display/capture/display_sockets.ts";
import { matroskaHeader, PICTURE_HEAD_BYTES } from "../../../lib/display/capture/matroska.ts";
import { Screen } from "../../../lib/display/capture/screen.ts";
import { newXauthority } from "../../../lib/display/xauth.ts";
import { setLogLevel } from "../../../lib/machine/tools/log.ts";
import { readCookie } from "../../../lib/display/x11/connection.ts";
import { ownMemory, watchNothing } from "../../support/capture_display.ts";
import { pixelsModule } from "../../support/pixels.ts";
import { until } from "../../support/same.ts";
import { type Display, fillRectangle, startDisplay } from "../../support/x_display.ts";
import { tellTime } from "../../support/times.ts";

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
  const parts = { display: display.display, pixels: pixelsModule, openScreen, watch: watchNothing };
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
