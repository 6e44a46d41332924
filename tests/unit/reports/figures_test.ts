import { strict as assert } from "node:assert";
import { ALONE } from "../../../lib/cluster/placement.ts";
import { Figures } from "../../../lib/reports/figures.ts";
import { figuresText } from "../../../lib/model/answers/figures.ts";
import { streamId } from "../../../lib/model/id.ts";
import type { Program } from "../../../lib/machine/supervisor/status.ts";

const MIB = 1024 * 1024;
const CLOCK = streamId("clock");

function figures(placement = ALONE) {
  const world = { now: 100_000, ms: 1000, pid: 7, measured: 0, counted: 0 };
  const parts = new Figures({
    ids: () => [CLOCK, streamId("sales")],
    programs: () =>
      Promise.resolve(
        new Map([
          ["browser-clock", { pid: world.pid } as Program],
          ["encoder-clock", { pid: 8 } as Program],
          ["browser-sales", { pid: 0 } as Program],
          ["media", { pid: 20 } as Program],
        ]),
      ),
    machine: {
      processorTimes: (pids) => {
        world.measured++;
        return Promise.resolve(new Map(pids.map((pid) => [pid, world.ms])));
      },
      memory: (pids) => Promise.resolve(new Map(pids.map((pid) => [pid, 100 * MIB]))),
      elapsed: () => world.now,
    },
    push: () => null,
    viewers: (id) => id === CLOCK ? 2 : 0,
    pictureRate: () => {
      world.counted++;
      return Promise.resolve(25);
    },
    limits: { figuresMs: 4500 },
    placement,
  });
  return { world, of: async () => (await parts.all()).clock, all: () => parts.all(), parts };
}

Deno.test("a stream costs what all its programs take, of a core and of memory", async () => {
  const { world, all } = figures();
  const nothing = { viewers: 0, fps: null, push: null, cpuPercent: null, mebibytes: null };
  assert.deepEqual(await all(), {
    clock: { viewers: 2, fps: 25, push: null, cpuPercent: null, mebibytes: 200 },
    sales: nothing,
  });
  world.now += 5000;
  world.ms += 750;
  assert.deepEqual((await all()).clock, { viewers: 2, fps: 25, push: null, cpuPercent: 30, mebibytes: 200 });
});

Deno.test("all streams cost what their programs take, with those that they share", async () => {
  const { world, parts } = figures();
  assert.deepEqual((await parts.costs()).cost, { cpuPercent: null, mebibytes: 300 });
  world.now += 5000;
  world.ms += 750;
  assert.deepEqual((await parts.costs()).cost, { cpuPercent: 45, mebibytes: 300 });
});

Deno.test("what a program has taken goes on over its restarts, and never falls", async () => {
  const { world, parts } = figures();
  const browser = async () => {
    const all = await parts.programs();
    const { cpuSeconds, bytes } = all.find(({ stream, program }) =>
      stream === CLOCK && program === "browser"
    )!;
    return [cpuSeconds, bytes];
  };
  const later = async (ms: number, pid = world.pid) => {
    world.now += 15_000;
    Object.assign(world, { ms, pid });
    return await browser();
  };
  assert.deepEqual(await browser(), [0, 100 * MIB], "of before the web app's start");
  assert.deepEqual(await later(3000), [2, 100 * MIB]);
  assert.deepEqual(await later(2500), [2, 100 * MIB], "a process that it had started left it");
  assert.deepEqual(await later(2600), [2.1, 100 * MIB]);
  assert.deepEqual(await later(400, 9), [2.5, 100 * MIB], "another start");
  assert.deepEqual(await later(0, 0), [2.5, null], "down");
  const others = (await parts.programs()).map(({ stream, program }) => `${program} ${stream}`);
  assert.deepEqual(others, ["browser clock", "encoder clock", "browser sales", "media null"]);
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

Deno.test("pictures are counted for people alone, and not too often", async () => {
  const { world, of, parts } = figures();
  await parts.costs();
  await parts.programs();
  assert.equal(world.counted, 0, "nobody looks");
  await Promise.all([of(), of(), parts.summary()]);
  assert.equal(world.counted, 1, "of the one that is encoded");
});

Deno.test("a program that has just been started counts from the next time on", async () => {
  const { world, of } = figures();
  await of();
  world.now += 5000;
  world.ms += 500;
  world.pid = 9;
  assert.equal((await of()).cpuPercent, 10, "the encoder's alone");
});

Deno.test("another node is told of the streams that this one has, and of those that are watched here", async () => {
  const told = async (tells: (id: string) => boolean) =>
    Object.keys(await figures({ ...ALONE, tells }).parts.told());
  assert.deepEqual(await told((id) => id === "sales"), ["clock", "sales"]);
  assert.deepEqual(await told(() => false), ["clock"]);
});

Deno.test("what is not known is not said", () => {
  const none = { viewers: 0, fps: null, cpuPercent: null, mebibytes: null };
  assert.equal(
    figuresText({ ...none, fps: 2, cpuPercent: 34, mebibytes: 410 }),
    "2 fps, 34 % of a core, 410 MiB",
  );
  assert.equal(figuresText({ ...none, mebibytes: 410 }), "410 MiB");
  assert.equal(figuresText(none), "");
});
