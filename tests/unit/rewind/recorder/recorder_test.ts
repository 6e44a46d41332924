/** What the web app tells the recorder, through their real socket. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Picture } from "../../../../lib/display/capture/picture.ts";
import { namesIn } from "../../../../lib/machine/os/files.ts";
import { setLogLevel } from "../../../../lib/machine/tools/log.ts";
import { streamId } from "../../../../lib/model/id.ts";
import { Recorder } from "../../../../lib/rewind/recorder/recorder.ts";
import { RecorderClient } from "../../../../lib/rewind/recorder/recorder_client.ts";
import { Shelf } from "../../../../lib/rewind/recorder/shelf.ts";
import { tempDir } from "../../../support/fixture.ts";
import { until } from "../../../support/same.ts";
import { ToldPicture } from "../../../support/told_pictures.ts";

setLogLevel("error");

const LIMITS = {
  bytes: 1e9,
  taken: () => Promise.resolve(0),
  seconds: 86_400,
  leastFree: { leastFreeMb: 500, leastFreePercent: 10 },
};
const SPACE = { totalBytes: 1e12, freeBytes: 1e12, totalFiles: 0, freeFiles: 0 };
const ID = streamId("ash");
const DISPLAY = 101;

async function openRecorder(dir: string): Promise<Recorder> {
  const folder = join(dir, "past");
  await Deno.mkdir(folder, { recursive: true });
  return await Recorder.open(await Shelf.open(folder, LIMITS, () => Promise.resolve(SPACE)), dir);
}

/** A display that shows another number each second, in the test's time. */
function film(recorder: Recorder) {
  const counts = { sent: 0, dropped: 0, changedAt: 0 };
  const watcher = recorder.watch(DISPLAY, counts);
  const picture = new ToldPicture({ width: 320, height: 180 });
  let now = 1_764_460_800_000;
  watcher.begin(picture as unknown as Picture, now);
  return {
    counts,
    pass(seconds: number) {
      for (let second = 0; second < seconds; second++) {
        picture.tell(now / 1000 % 1000);
        watcher.changed({ top: 0, bottom: 180 }, now);
        now += 1000;
        watcher.tick(now);
      }
    },
    end: () => watcher.close(),
  };
}

const piecesIn = async (dir: string) =>
  (await namesIn(join(dir, "past", ID))).filter((name) => name.endsWith(".txt")).sort();

Deno.test("recorder: a new one keeps nothing until it is told, and is reminded of what it was told", async () => {
  await using dir = await tempDir();
  const client = new RecorderClient(dir.path);
  await client.order(DISPLAY, { id: ID, hold: null }); // none runs
  const recorder = await openRecorder(dir.path);
  const display = film(recorder);
  display.pass(3);
  assert.ok(display.counts.changedAt > 0);
  assert.deepEqual(await piecesIn(dir.path), []);
  await until("to be reminded", async () => {
    await client.remind();
    display.pass(2);
    return (await piecesIn(dir.path)).length === 1;
  });
  await display.end();
  await recorder.stop();
});

Deno.test("recorder: after its answer nothing more of a display is written, and others go on", async () => {
  await using dir = await tempDir();
  const recorder = await openRecorder(dir.path);
  const client = new RecorderClient(dir.path);
  const display = film(recorder);
  await client.order(DISPLAY, { id: ID, hold: null });
  await until("a piece", async () => {
    display.pass(2);
    return (await piecesIn(dir.path)).length === 1;
  });
  display.pass(1);
  await client.order(DISPLAY, { id: ID, hold: "visit" });
  const [file] = await piecesIn(dir.path);
  const text = await Deno.readTextFile(join(dir.path, "past", ID, file));
  assert.match(text, /\ne \d+ visit\n$/);
  display.pass(5);
  await client.order(102, { id: streamId("birch"), hold: null });
  display.pass(5);
  assert.deepEqual(await piecesIn(dir.path), [file]);
  assert.equal(await Deno.readTextFile(join(dir.path, "past", ID, file)), text);
  await client.order(DISPLAY, null);
  display.pass(5);
  assert.deepEqual(await piecesIn(dir.path), [file]);
  await display.end();
  await recorder.stop();
});

Deno.test("recorder: what is no order changes nothing, and is told so", async () => {
  await using dir = await tempDir();
  const recorder = await openRecorder(dir.path);
  const wrong = [
    "{",
    "[]x",
    '{"101":{"id":"../../etc","hold":null}}',
    '{"a":{"id":"ash","hold":null}}',
    "null",
  ];
  for (const line of wrong) {
    using client = await Deno.connect({ transport: "unix", path: join(dir.path, "recorder") });
    await client.write(new TextEncoder().encode(`${line}\n`));
    const bytes = new Uint8Array(100);
    const read = await client.read(bytes);
    assert.equal(new TextDecoder().decode(bytes.subarray(0, read ?? 0)), "no such orders", line);
  }
  await recorder.stop();
});

Deno.test("recorder: one that hangs is an error for whoever waits for it", async () => {
  await using dir = await tempDir();
  using _deaf = Deno.listen({ transport: "unix", path: join(dir.path, "recorder") });
  const asked = new RecorderClient(dir.path).order(DISPLAY, { id: ID, hold: "visit" });
  await assert.rejects(asked, /the recorder does not answer/);
});
