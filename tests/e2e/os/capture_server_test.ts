/** The capture program with displays that only say what X servers do. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { askForPictures, videoSocket } from "../../../lib/display/capture/ask.ts";
import { DisplaySockets } from "../../../lib/display/capture/display_sockets.ts";
import { matroskaHeader, PICTURE_HEAD_BYTES } from "../../../lib/display/capture/matroska.ts";
import { runCapture } from "../../../lib/display/capture/server.ts";
import type { FrameCounts } from "../../../lib/display/capture/frame_counts.ts";
import { askForCounts, captureQuestion, giveSignOfLife } from "../../../lib/display/capture/sign_of_life.ts";
import { Screen } from "../../../lib/display/capture/screen.ts";
import { setLogLevel } from "../../../lib/machine/tools/log.ts";
import { answers } from "../../../lib/machine/tools/probe.ts";
import { withTimeout } from "../../../lib/machine/tools/time.ts";
import {
  type CaptureDisplay,
  captureDisplay,
  countMemoryAlone,
  ownMemory,
  watchNothing,
} from "../../support/capture_display.ts";
import { tempDir } from "../../support/fixture.ts";
import { pixelsModule } from "../../support/pixels.ts";
import { until } from "../../support/same.ts";
import { pause, within } from "../../support/within.ts";
import { greetingBytes, replyBytes } from "../../support/x_server.ts";
import { inSoak } from "../../support/soak.ts";

countMemoryAlone();

setLogLevel("error");

const WANTED = { output: { width: 320, height: 180 }, fps: 25, gop: 25 };
const HEADER = matroskaHeader(WANTED.output, WANTED.fps).length;
const PICTURE = PICTURE_HEAD_BYTES + 320 * 180 * 3 / 2;
const LIMIT_MS = 5000;
/** Of the display, as the stream has it. */
const SIZE = { width: 320, height: 180 };

async function withSockets(
  display: CaptureDisplay,
  test: (folder: string, sockets: DisplaySockets) => Promise<void>,
): Promise<void> {
  await using dir = await tempDir();
  const openScreen = () => Screen.open(display.path, new Uint8Array(16), SIZE);
  const sockets = new DisplaySockets(
    { display: 1, pixels: pixelsModule, openScreen, watch: watchNothing },
    dir.path,
    0o600,
  );
  try {
    await test(dir.path, sockets);
  } finally {
    await sockets.stop();
  }
}

const SMALL = greetingBytes(SIZE);

async function readExactly(connection: Deno.Conn, count: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(count);
  for (let at = 0; at < count;) {
    const read = await withTimeout(LIMIT_MS, connection.read(bytes.subarray(at)));
    if (read === null) throw new Error("the end");
    at += read;
  }
  return bytes;
}

/** A picture's time. */
function timeOf(picture: Uint8Array): number {
  const TIMESTAMP_AT = 4 + 8 + 1 + 8;
  return Number(new DataView(picture.buffer).getBigUint64(TIMESTAMP_AT));
}

Deno.test("capture: a reader gets pictures for as long as it is there, and costs nothing then", async () => {
  await using display = await captureDisplay(undefined, SMALL);
  await withSockets(display, async (folder) => {
    const mode = Deno.statSync(videoSocket(folder)).mode! & 0o777;
    assert.equal(mode, 0o600);
    await askForPictures(folder, WANTED, 1000);
    const askedAt = Date.now();
    await until("the question to be over", () => ownMemory() === 0);
    await pause(100);
    const reader = await Deno.connect({ transport: "unix", path: videoSocket(folder) });
    await readExactly(reader, HEADER);
    const first = timeOf(await readExactly(reader, PICTURE));
    assert.ok(first <= askedAt && first > askedAt - 1000, "the time of the question");
    assert.equal(ownMemory(), 1);
    await until("what was there to be read", () => display.reads.length === 3);
    await display.damage(10, 20);
    const times = [first];
    while (times.at(-1)! < first + 500) times.push(timeOf(await readExactly(reader, PICTURE)));
    assert.ok(times.includes(first + 500), `${times}`);
    await until("the rows that changed to be read", () => display.reads.length > 3);
    assert.deepEqual(display.reads.slice(3), [[10, 10]], "the rows that changed, and no more");
    reader.close();
    await until("the memory to be given back", () => ownMemory() === 0);
  });
});

Deno.test("capture: a display that goes takes its reader along; one that comes back is filmed again", async () => {
  await using display = await captureDisplay(undefined, SMALL);
  await withSockets(display, async (folder) => {
    for (let round = 0; round < 2; round++) {
      await askForPictures(folder, WANTED, 1000);
      using reader = await Deno.connect({ transport: "unix", path: videoSocket(folder) });
      await readExactly(reader, HEADER + PICTURE);
      display.closeClients();
      await assert.rejects(async () => {
        while (true) await readExactly(reader, PICTURE);
      }, /the end/);
      await until("the memory to be given back", () => ownMemory() === 0);
    }
  });
});

Deno.test("capture: who asks for what cannot be had is told why, and gets nothing", async () => {
  await using display = await captureDisplay(({ major, sequence }) => {
    return major === 98 ? replyBytes(sequence) : undefined;
  }, SMALL);
  await withSockets(display, async (folder) => {
    await assert.rejects(askForPictures(folder, WANTED, 1000), /has no MIT-SHM/);
    const tooLarge = { ...WANTED, output: { width: 9998, height: 9998 } };
    await assert.rejects(askForPictures(folder, tooLarge, 1000), /no such pictures/);
    using reader = await Deno.connect({ transport: "unix", path: videoSocket(folder) });
    assert.equal(await withTimeout(LIMIT_MS, reader.read(new Uint8Array(1))), null);
    await assert.rejects(askForPictures(join(folder, "none"), WANTED, 100), /does not run/);
  });
});

Deno.test("capture: a reader that reads nothing has one picture waiting for it, and is followed by the next", async () => {
  await using display = await captureDisplay(undefined, SMALL);
  await withSockets(display, async (folder) => {
    await askForPictures(folder, WANTED, 1000);
    using slow = await Deno.connect({ transport: "unix", path: videoSocket(folder) });
    await readExactly(slow, HEADER);
    for (let change = 0; change < 5; change++) await display.damage(0, 36);
    using next = await Deno.connect({ transport: "unix", path: videoSocket(folder) });
    await readExactly(next, HEADER + PICTURE);
    await assert.rejects(async () => {
      while (true) await readExactly(slow, PICTURE);
    }, /the end/);
    assert.equal(ownMemory(), 1);
  });
});

Deno.test("capture: displays are listened for from their folder's completion to its end", async () => {
  await using dir = await tempDir();
  const over = new AbortController();
  const frames = new Map<number, FrameCounts>();
  const parts = {
    foldersDir: dir.path,
    keyFile: () => join(dir.path, "no-key"),
    sizeFile: () => join(dir.path, "no-size"),
    owner: () => Promise.resolve(Deno.uid()!),
    pixels: pixelsModule,
    frames,
    watch: watchNothing,
  };
  const running = runCapture(parts, over.signal);
  const hears = (folder: string) =>
    askForPictures(folder, WANTED, 200).then(() => false, (error) => /is not up/.test(error.message));
  const [first, second] = [join(dir.path, "9998"), join(dir.path, "9999")];
  const makeFolder = async (folder: string) => {
    await Deno.mkdir(folder, { mode: 0o700 });
    await Deno.chmod(folder, 0o2700);
  };
  await makeFolder(first);
  await until("the first to be heard", () => hears(first));
  await Deno.mkdir(second, { mode: 0o700 });
  // what replaces a display's folder is heard as well, while one that is not complete is not
  await Deno.remove(first, { recursive: true });
  await makeFolder(first);
  await until("the first to be heard again", () => hears(first));
  assert.equal(await hears(second), false);
  await Deno.chmod(second, 0o2700);
  await until("the second to be heard", () => hears(second));
  assert.deepEqual([...frames.keys()].sort(), [9998, 9999]);
  await Deno.remove(second, { recursive: true });
  await until("the second to be counted no more", () => !frames.has(9999));
  over.abort();
  await running;
  assert.equal(await hears(first), false);
});

Deno.test("capture: what a killed one has left keeps nobody from listening", async () => {
  await using display = await captureDisplay(undefined, SMALL);
  await using dir = await tempDir();
  const openScreen = () => Screen.open(display.path, new Uint8Array(16), SIZE);
  const parts = { display: 1, pixels: pixelsModule, openScreen, watch: watchNothing };
  const killed = new DisplaySockets(parts, dir.path, 0o600);
  const next = new DisplaySockets(parts, dir.path, 0o600);
  await askForPictures(dir.path, WANTED, 1000);
  await Promise.all([killed.stop(), next.stop()]);
});

Deno.test("capture: a sign of life is given again after a kill, and none by one that hangs", async () => {
  await using dir = await tempDir();
  for (let life = 0; life < 2; life++) {
    const { ended, ...sign } = await giveSignOfLife(dir.path, new Map());
    assert.equal(await answers(captureQuestion(dir.path), LIMIT_MS), true);
    sign[Symbol.dispose]();
    await ended;
  }
  // the kernel takes connections for one that hangs
  await Deno.remove(join(dir.path, "alive")).catch(() => {});
  using _hung = Deno.listen({ transport: "unix", path: join(dir.path, "alive") });
  assert.equal(await answers(captureQuestion(dir.path), 50), false);
});

Deno.test("capture: the sign of life tells how many pictures each display's encoder got", async () => {
  await using display = await captureDisplay(undefined, SMALL);
  await withSockets(display, async (folder, { frames }) => {
    await using dir = await tempDir();
    const other = { sent: 7, dropped: 2, changedAt: 1_767_614_400_000 };
    const { ended, ...sign } = await giveSignOfLife(dir.path, new Map([[1, frames], [500, other]]));
    const counts = () => askForCounts(dir.path, LIMIT_MS);
    assert.deepEqual([...await counts()], [[1, { sent: 0, dropped: 0, changedAt: 0 }], [500, other]]);
    await askForPictures(folder, WANTED, 1000);
    using reader = await Deno.connect({ transport: "unix", path: videoSocket(folder) });
    await readExactly(reader, HEADER + PICTURE * 2);
    const { sent, dropped } = (await counts()).get(1)!;
    assert.ok(sent >= 1 && sent <= 3, `${sent} pictures`);
    assert.equal(dropped, 0);
    sign[Symbol.dispose]();
    await ended;
    await assert.rejects(counts());
  });
});

/** A picture that can be sent is sent in far less. */
const FULL_MS = 3000;

inSoak(Deno.test)("capture: pictures that a reader was too slow for are counted", async () => {
  await using display = await captureDisplay(undefined, SMALL);
  await withSockets(display, async (folder, { frames }) => {
    await askForPictures(folder, WANTED, 1000);
    using reader = await Deno.connect({ transport: "unix", path: videoSocket(folder) });
    await readExactly(reader, HEADER + PICTURE);
    // until no more fits between the two
    let fullAt = NaN;
    for (let isFull = false; !isFull;) {
      const before = frames.sent;
      fullAt = performance.now();
      await display.damage(0, 36);
      isFull = await within("one more", FULL_MS, () => frames.sent > before).then(() => false, () => true);
    }
    await display.damage(0, 36);
    await pause(400);
    assert.equal(frames.dropped, 0, "nobody knows yet");
    for (let more = 0; more < 4 && frames.dropped === 0; more++) await readExactly(reader, PICTURE);
    await until("the next picture", () => frames.dropped > 0);
    const most = (performance.now() - fullAt) / 1000 * WANTED.fps + 1;
    assert.ok(frames.dropped >= 8 && frames.dropped <= most, `${frames.dropped} pictures, at most ${most}`);
  });
});

Deno.test("capture: junk on its sockets, and halves of questions, keep nobody from asking", async () => {
  await using display = await captureDisplay(undefined, SMALL);
  await withSockets(display, async (folder) => {
    const junk = ["", "\n", "\0".repeat(200), "1280x720 25 25", "x".repeat(64)];
    const open = await Promise.all(junk.map(async (text) => {
      const connection = await Deno.connect({ transport: "unix", path: join(folder, "ask") });
      await connection.write(new TextEncoder().encode(text)).catch(() => {});
      return connection;
    }));
    for (const connection of open) connection.close();
    await until(
      "a question to be answered",
      () => askForPictures(folder, WANTED, 1000).then(() => true, () => false),
    );
  });
});
