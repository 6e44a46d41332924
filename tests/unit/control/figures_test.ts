import { strict as assert } from "node:assert";
import { Figures } from "../../../lib/control/figures.ts";
import { costText } from "../../../lib/streams/figures.ts";
import { streamId } from "../../../lib/streams/id.ts";
import type { Program } from "../../../lib/supervisor/status.ts";

const MIB = 1024 * 1024;
const CLOCK = streamId("clock");

function figures() {
  const world = { now: 100_000, ms: 1000, pid: 7, measured: 0 };
  const parts = new Figures({
    ids: () => [CLOCK, streamId("sales")],
    programs: () =>
      Promise.resolve(
        new Map([
          ["browser-clock", { pid: world.pid } as Program],
          ["encoder-clock", { pid: 8 } as Program],
          ["browser-sales", { pid: 0 } as Program],
        ]),
      ),
    programsOf: (id) => [`browser-${id}`, `encoder-${id}`],
    processorTimes: (pids) => {
      world.measured++;
      return Promise.resolve(new Map(pids.map((pid) => [pid, world.ms])));
    },
    memory: (pids) => Promise.resolve(new Map(pids.map((pid) => [pid, 100 * MIB]))),
    viewers: (id) => id === CLOCK ? 2 : 0,
    limits: { figuresMs: 4500 },
    now: () => world.now,
  });
  return { world, of: async () => (await parts.all()).clock, all: () => parts.all() };
}

Deno.test("a stream costs what all its programs take, of a core and of memory", async () => {
  const { world, all } = figures();
  const nothing = { viewers: 0, cpuPercent: null, mebibytes: null };
  assert.deepEqual(await all(), { clock: { viewers: 2, cpuPercent: null, mebibytes: 200 }, sales: nothing });
  world.now += 5000;
  world.ms += 750;
  assert.deepEqual((await all()).clock, { viewers: 2, cpuPercent: 30, mebibytes: 200 });
});

Deno.test("it is measured when somebody asks, and not too often", async () => {
  const { world, of } = figures();
  await Promise.all([of(), of()]);
  world.now += 4000;
  await of();
  assert.equal(world.measured, 1);
  world.now += 3_600_000;
  assert.equal((await of()).cpuPercent, null, "what it took an hour ago says nothing of now");
  assert.equal(world.measured, 2);
});

Deno.test("a program that has just been started counts from the next time on", async () => {
  const { world, of } = figures();
  await of();
  world.now += 5000;
  world.ms += 500;
  world.pid = 9;
  assert.equal((await of()).cpuPercent, 10, "the encoder's alone");
});

Deno.test("what is not known is not said", () => {
  assert.equal(costText({ viewers: 1, cpuPercent: 34, mebibytes: 410 }), "34 % of a core, 410 MiB");
  assert.equal(costText({ viewers: 1, cpuPercent: null, mebibytes: 410 }), "410 MiB");
  assert.equal(costText({ viewers: 0, cpuPercent: null, mebibytes: null }), "");
});
