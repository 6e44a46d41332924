import assert from "node:assert/strict";
import { join } from "node:path";
import { HeartbeatRecorder } from "../../../lib/reports/heartbeats.ts";
import { SLOT_MS } from "../../../lib/model/answers/heartbeat.ts";
import { setLogLevel } from "../../../lib/machine/tools/log.ts";
import { tempDir } from "../../support/fixture.ts";
import type { StreamStatus } from "../../../lib/model/answers/shapes.ts";

setLogLevel("error");

const status = (id: string, state: StreamStatus["state"]): StreamStatus => ({ id, state, programs: [] });

/** Recorders over the same file, and the time and states they see. */
async function withRecorders(
  test: (world: {
    now: number;
    seen: StreamStatus[] | null;
    open(): Promise<HeartbeatRecorder>;
    rounds(recorder: HeartbeatRecorder, count: number, everyMs?: number): Promise<void>;
    file: string;
  }) => Promise<void>,
): Promise<void> {
  await using dir = await tempDir();
  const file = join(dir.path, "heartbeats.json");
  const monthFile = join(dir.path, "month.json");
  const world = {
    now: 5000 * SLOT_MS,
    seen: [status("clock", "running")] as StreamStatus[] | null,
    file,
    open: () =>
      HeartbeatRecorder.open({
        file,
        monthFile,
        ids: () => (world.seen ?? []).map(({ id }) => id),
        statuses: () =>
          world.seen
            ? Promise.resolve(Object.fromEntries(world.seen.map((one) => [one.id, one])))
            : Promise.reject(new Error("no answer")),
        limits: { heartbeatSampleMs: 15_000, heartbeatSaveMs: 300_000 },
        now: () => world.now,
        elapsed: () => world.now,
      }),
    rounds: async (recorder: HeartbeatRecorder, count: number, everyMs = 15_000) => {
      for (let n = 0; n < count; n++, world.now += everyMs) await recorder.round();
    },
  };
  await test(world);
}

Deno.test("heartbeats survive a restart", () =>
  withRecorders(async (world) => {
    const first = await world.open();
    await world.rounds(first, 60);
    world.seen = [status("clock", "failed")];
    await world.rounds(first, 60);
    await first.stop();
    const second = await world.open();
    assert.match(second.read().streams.clock.slots, /gf-$/);
    assert.deepEqual(second.read(), first.read());
    assert.equal((await Deno.stat(world.file)).mode! & 0o777, 0o600);
  }));

Deno.test("30 days are kept beside the last one, over a restart", () =>
  withRecorders(async (world) => {
    const first = await world.open();
    world.seen = [{ ...status("clock", "failed"), reason: "the browser ended" }];
    await world.rounds(first, 4);
    world.seen = [status("clock", "running")];
    for (let day = 0; day < 29; day++) {
      world.now += 24 * 3_600_000;
      await world.rounds(first, 4);
    }
    await first.stop();
    const { day, month } = (await world.open()).readOne("clock");
    assert.deepEqual(day.streams.clock.faults, []);
    assert.equal(month.streams.clock.slots.length * month.slotMs, 30 * 24 * 3_600_000);
    const [{ reason, seconds }, ...others] = month.streams.clock.faults;
    assert.deepEqual([reason, seconds, others], ["the browser ended", 60, []]);
    assert.equal(month.streams.clock.goodPercent, 97);
  }));

Deno.test("they are written every few minutes, and not with each sample", () =>
  withRecorders(async (world) => {
    const recorder = await world.open();
    await world.rounds(recorder, 20);
    assert.equal(await Deno.stat(world.file).catch(() => null), null);
    await world.rounds(recorder, 1);
    const { mtime } = await Deno.stat(world.file);
    await world.rounds(recorder, 19);
    assert.deepEqual((await Deno.stat(world.file)).mtime, mtime);
  }));

Deno.test("while the supervisor does not answer, nothing is known", () =>
  withRecorders(async (world) => {
    const recorder = await world.open();
    await world.rounds(recorder, 60);
    const { seen } = world;
    world.seen = null;
    await world.rounds(recorder, 120);
    world.seen = seen;
    await world.rounds(recorder, 1);
    assert.match(recorder.read().streams.clock.slots, /g--g$/);
  }));

Deno.test("a pause of ours counts for no more than two samples", () =>
  withRecorders(async (world) => {
    const recorder = await world.open();
    await world.rounds(recorder, 1, 10 * 60_000);
    world.seen = [status("clock", "failed")];
    await world.rounds(recorder, 1);
    assert.equal(recorder.read().streams.clock.faults[0].seconds, 30);
  }));

Deno.test("a deleted stream is forgotten, a new one is known at once", () =>
  withRecorders(async (world) => {
    const recorder = await world.open();
    await world.rounds(recorder, 2);
    world.seen = [status("other", "stopped")];
    await world.rounds(recorder, 1);
    assert.deepEqual(Object.keys(recorder.read().streams), ["other"]);
    await recorder.stop();
    assert.deepEqual(Object.keys(JSON.parse(await Deno.readTextFile(world.file))), ["other"]);
    world.seen = [...world.seen, status("new", "running")];
    assert.match(recorder.read().streams.new.slots, /^-{96}$/);
  }));

Deno.test("a file that cannot be read costs the colours, and no start", () =>
  withRecorders(async (world) => {
    for (const text of ["{", "null", '{"clock": 7}', "[]"]) {
      await Deno.writeTextFile(world.file, text);
      assert.match((await world.open()).read().streams.clock.slots, /^-{96}$/, text);
    }
  }));

Deno.test("the answer for 60 streams with a bad day each stays small", () =>
  withRecorders(async (world) => {
    const recorder = await world.open();
    for (let slot = 0; slot < 96; slot++) {
      world.seen = Array.from({ length: 60 }, (_, n) => ({
        ...status(`stream-${n}`, (slot + n) % 8 === 0 ? "degraded" : "running"),
        reason: "no new picture for 12 s. encoder-stream: frame dropped",
      }));
      await world.rounds(recorder, 1, SLOT_MS);
    }
    assert.ok(JSON.stringify(recorder.read()).length < 150_000);
  }));

Deno.test("heartbeats are the same text for all boards until the next sample, slot or stream", () =>
  withRecorders(async (world) => {
    const recorder = await world.open();
    let text = await recorder.text();
    const isNew = async () => {
      const [before, after] = [text, await recorder.text()];
      assert.equal(after, JSON.stringify(recorder.read()));
      text = after;
      return after !== before;
    };
    await world.rounds(recorder, 2);
    assert.ok(await isNew());
    assert.ok(!await isNew());
    world.seen = [status("clock", "failed")];
    await world.rounds(recorder, 1);
    assert.ok(await isNew(), "another sample");
    world.seen.push(status("wall", "running"));
    assert.ok(await isNew(), "another stream");
    world.now += SLOT_MS;
    assert.ok(await isNew(), "another slot");
    await recorder.stop();
  }));
