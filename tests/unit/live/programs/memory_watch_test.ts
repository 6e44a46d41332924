import assert from "node:assert/strict";
import { MemoryWatch } from "../../../../lib/live/programs/memory_watch.ts";
import { type StreamId, streamId } from "../../../../lib/model/id.ts";
import { setLogLevel } from "../../../../lib/system/log.ts";

setLogLevel("error");

const MIB = 1024 * 1024;
const clock = streamId("clock");

/** A watch over browsers that may have 1000 MiB. */
function watched() {
  const world = {
    mebibytes: new Map([["clock", 900], ["wall", 300]]),
    busy: new Set<StreamId>(),
    viewers: 0,
    now: 1_000_000,
    restarted: [] as StreamId[],
    events: [] as string[],
    counted: [] as unknown[],
  };
  const ids = [clock, streamId("wall")];
  const watch = new MemoryWatch({
    browsers: () => Promise.resolve(ids.map((id, at) => ({ id, pid: at + 1, memoryLimitMb: 1000 }))),
    isBusy: (id) => world.busy.has(id),
    viewers: () => world.viewers,
    measure: (pids) =>
      Promise.resolve(new Map(pids.map((pid) => [pid, world.mebibytes.get(ids[pid - 1])! * MIB]))),
    restartBrowser: (id) => Promise.resolve(void world.restarted.push(id)),
    addEvent: (id, kind, text, level) => world.events.push(`${id} ${kind} ${level}: ${text}`),
    countRestarts: (...restart) => world.counted.push(restart),
    limits: { memoryCheckMs: 1000, memoryPauseMs: 600_000 },
    elapsed: () => world.now,
  });
  return { world, watch };
}

Deno.test("a browser over its stream's limit is replaced, which an event says; the others stay", async () => {
  const { world, watch } = watched();
  await watch.round();
  assert.deepEqual(world.restarted, []);
  world.mebibytes.set("clock", 1300);
  await watch.round();
  assert.deepEqual(world.restarted, ["clock"]);
  assert.deepEqual(world.events, [
    "clock program warn: Browser restarted: it used 1300 MiB, more than the 1000 MiB it may.",
  ]);
  assert.deepEqual(world.counted, [["clock", ["browser"], "memory"]]);
});

Deno.test("while somebody is in the browser, or the stream is worked on, it waits", async () => {
  const { world, watch } = watched();
  world.mebibytes.set("clock", 1300);
  world.viewers = 1;
  await watch.round();
  world.viewers = 0;
  world.busy.add(clock);
  await watch.round();
  assert.deepEqual([world.restarted, world.events], [[], []]);
  world.busy.clear();
  await watch.round();
  assert.deepEqual(world.restarted, ["clock"]);
});

Deno.test("a page that always needs more than it may is replaced every ten minutes, and not with each round", async () => {
  const { world, watch } = watched();
  world.mebibytes.set("clock", 1300);
  for (let minute = 0; minute < 21; minute++, world.now += 60_000) await watch.round();
  assert.equal(world.restarted.length, 3);
});
