import assert from "node:assert/strict";
import { join } from "node:path";
import { StreamEvents } from "../../../lib/reports/events.ts";
import { eventFile } from "../../../lib/store/event_file.ts";
import { streamId } from "../../../lib/model/id.ts";
import { setLogLevel } from "../../../lib/machine/tools/log.ts";
import { isThere, tempDir } from "../../support/fixture.ts";

setLogLevel("error");

const [clock, other] = [streamId("clock"), streamId("other")];
const limits = { eventsSaveMs: 1000, eventsRetryMs: 30_000 };

/** The events of a folder, as the web app has them after its start. */
function open(streamsDir: string, known = [clock, other]): Promise<StreamEvents> {
  return StreamEvents.open({
    streamsDir,
    isKnown: (id) => known.includes(id),
    limits,
    now: () => 5000,
    elapsed: () => 5000,
  });
}

const told = (events: StreamEvents) => events.list(clock).map(({ text, count }) => `${count} ${text}`);

Deno.test("events survive a restart, and go on in the same file", async () => {
  await using dir = await tempDir();
  const first = await open(dir.path);
  first.add(clock, "stream", "Started.");
  first.add(clock, "page", "Opened.");
  await first.stop();
  const second = await open(dir.path);
  second.add(clock, "page", "Opened.");
  second.add(other, "stream", "Started.");
  await second.stop();
  const third = await open(dir.path);
  assert.deepEqual(told(third), ["1 Started.", "2 Opened."]);
  assert.equal(third.list(other).length, 1);
  const { mode } = await Deno.stat(eventFile(dir.path, clock));
  assert.equal(mode! & 0o777, 0o600);
});

Deno.test("a write that was cut off costs that line, and none that comes later", async () => {
  await using dir = await tempDir();
  const first = await open(dir.path);
  first.add(clock, "stream", "Started.");
  await first.stop();
  await Deno.writeTextFile(eventFile(dir.path, clock), '{"id":2,"at":5', { append: true });
  const second = await open(dir.path);
  second.add(clock, "page", "Opened.");
  await second.stop();
  assert.deepEqual(told(await open(dir.path)), ["1 Started.", "1 Opened."]);
});

Deno.test("a stream's file stays small, however often its events come again", async () => {
  await using dir = await tempDir();
  for (let run = 0; run < 8; run++) {
    const events = await open(dir.path);
    for (let n = 0; n < 60; n++) {
      for (const kind of ["page", "program", "login", "console", "reload"] as const) {
        events.add(clock, kind, `${run} ${n} ${"x".repeat(400)}`);
      }
      await events.stop(); // writes
    }
  }
  const { size } = await Deno.stat(eventFile(dir.path, clock));
  assert.ok(size <= 512 * 1024, `${size} bytes`);
  assert.ok(size > 100 * 1024, `${size} bytes: the test writes enough`);
});

Deno.test("the events of a deleted stream go, and nothing is kept of a stream that there is not", async () => {
  await using dir = await tempDir();
  const events = await open(dir.path);
  events.add(clock, "stream", "Started.");
  events.add(streamId("unknown"), "stream", "Started.");
  await events.stop();
  await events.forget(clock);
  await events.stop();
  assert.deepEqual([await isThere(join(dir.path, "clock")), await isThere(join(dir.path, "unknown"))], [
    false,
    false,
  ]);
  assert.deepEqual(events.list(clock), []);
});

Deno.test("what an earlier run stored of a stream that is gone is removed at the start", async () => {
  await using dir = await tempDir();
  const first = await open(dir.path);
  first.add(clock, "stream", "Started.");
  await first.stop();
  await open(dir.path, [other]);
  assert.equal(await isThere(join(dir.path, "clock")), false);
});

Deno.test("a disk that cannot be written stops nothing, and all is stored when it can be again", async () => {
  await using dir = await tempDir();
  const events = await open(dir.path);
  await Deno.writeTextFile(join(dir.path, "clock"), "a file where the folder should be");
  events.add(clock, "stream", "Started.");
  await events.stop();
  events.add(clock, "page", "Opened.");
  assert.deepEqual(told(events), ["1 Started.", "1 Opened."]);
  await Deno.remove(join(dir.path, "clock"));
  await events.stop();
  assert.deepEqual(told(await open(dir.path)), ["1 Started.", "1 Opened."]);
});
