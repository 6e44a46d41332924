import { strict as assert } from "node:assert";
import { ALONE } from "../../../lib/cluster/placement.ts";
import { Admission } from "../../../lib/fleet/admission.ts";
import { Places } from "../../../lib/fleet/places.ts";
import { ServiceError } from "../../../lib/errors.ts";
import { type StreamId, streamId } from "../../../lib/model/id.ts";
import { storedStream, type Stream } from "../../../lib/model/schema.ts";
import { DEFAULT_TIMINGS } from "../../../lib/timings.ts";
import type { Cost } from "../../../lib/model/answers/shapes.ts";

const GIB = 1024 ** 3;

function aStream(id: string, desiredState: Stream["desiredState"] = "stopped"): Stream {
  return storedStream.parse({ id, name: id, url: "https://example.org/", desiredState, order: 0 }) as Stream;
}

/** A machine of two cores on which these streams run, each for as long as it must to be measured. */
function aMachine({ running = [] as string[], maxStreams = 0, isMeasured = true, isNode = false } = {}) {
  const world = {
    now: 1_000_000,
    streams: [...running.map((id) => aStream(id, "running")), aStream("new"), aStream("other")],
    startedAt: new Map<StreamId, number>(running.map((id) => [streamId(id), 0])),
    /** Of one core, each. */
    /** Streams that were asked for by viewers, and are not started yet. */
    watched: new Set<StreamId>(),
    cpuPercent: 10,
    busyCores: 0.1 * running.length,
    availableBytes: 6 * GIB,
    events: [] as string[],
  };
  let ticks = { busy: 0, total: 0 };
  const placement = isNode ? { ...ALONE, here: "wall-a" } : ALONE;
  const places = new Places({
    placement,
    maxStreams,
    store: { list: () => world.streams },
    fleet: {
      runOf: (id) => ({ startedAt: world.startedAt.get(id), isWanted: world.watched.has(id) }),
    },
  });
  const admission = new Admission({
    places,
    ground: {
      placement,
      addEvent: (id, _kind, text, level) => world.events.push(`${id} ${level}: ${text}`),
    },
    figures: {
      costs: () => {
        const figures = { cpuPercent: world.cpuPercent, mebibytes: 250 };
        const streams: Record<string, Cost> = Object.fromEntries(
          [...world.startedAt.keys()].map((id) => [id, figures]),
        );
        const count = world.startedAt.size;
        return Promise.resolve({
          streams,
          cost: { cpuPercent: count * world.cpuPercent, mebibytes: count * 250 },
        });
      },
    },
    machine: {
      load: () =>
        Promise.resolve({
          cores: 2,
          processors: 2,
          machineCores: 2,
          machineBytes: 8 * GIB,
          tasks: null,
          load: [0, 0, 0],
          memory: { totalBytes: 8 * GIB, availableBytes: world.availableBytes },
        }),
      cpuTimes: () => {
        ticks = { busy: ticks.busy + 100 * world.busyCores, total: ticks.total + 200 };
        return Promise.resolve({ cores: 2, machineCores: 2, ...ticks });
      },
      elapsed: () => world.now,
      space: () => Promise.resolve({ totalBytes: 1e9, freeBytes: 1e9, totalFiles: 0, freeFiles: 0 }),
    },
    runDir: isMeasured ? "/dev/shm/run" : null,
    limits: DEFAULT_TIMINGS.admission,
  });
  const measure = async () => {
    await admission.round();
    await admission.round();
  };
  /** Lets a stream in and runs it. @returns the note for its events. */
  const begin = async (id: string, isForced = false) => {
    const note = await admission.admit(aStream(id), isForced);
    world.streams = world.streams.map((one) => one.id === id ? aStream(id, "running") : one);
    world.startedAt.set(streamId(id), world.now);
    admission.arrived(streamId(id));
    return note;
  };
  return { world, admission, places, measure, begin };
}

const names = (count: number) => Array.from({ length: count }, (_, at) => `s${at}`);
const refusedBy = (reason: RegExp) => (error: unknown) =>
  error instanceof ServiceError && error.status === 409 &&
  reason.test((error.extra!.capacity as { reason: string }).reason);

Deno.test("a start that the processors cannot carry is refused with figures, and forced with a note", async () => {
  const { world, measure, begin } = aMachine({ running: names(16) });
  await measure();
  assert.equal(await begin("new"), null, "16 of 10 % leave room for one more");
  world.now += 120_000;
  world.busyCores = 1.8;
  await measure();
  await assert.rejects(
    begin("other"),
    refusedBy(/^1\.7 of 2 cores are in use, and this one would take about 10 %/),
  );
  assert.match((await begin("other", true))!, /^Started on request, although 1\.7 of 2 cores/);
});

Deno.test("what a kind of stream took counts, not a guess", async () => {
  const { world, measure, begin } = aMachine({ running: ["moving"] });
  Object.assign(world, { cpuPercent: 95, busyCores: 0.95 });
  await measure();
  await assert.rejects(
    begin("new"),
    refusedBy(/^(?:0\.9|1\.0) of 2 cores are in use, and .* about 95 % of a CPU core/),
  );
});

Deno.test("other programs count on average: one that works for a moment refuses nobody", async () => {
  const { world, admission, measure, begin } = aMachine({ running: ["a"] });
  await measure();
  world.busyCores = 2;
  await admission.round();
  assert.equal(await begin("new"), null);
  for (let rounds = 0; rounds < 10; rounds++) await admission.round();
  await assert.rejects(begin("other"), refusedBy(/of them by other programs/));
});

Deno.test("streams that are starting count for what they will take, and not for their start", async () => {
  const { world, admission, measure } = aMachine({ running: names(16) });
  await measure();
  const [first, second] = await Promise.allSettled([
    admission.admit(aStream("new"), false),
    admission.admit(aStream("other"), false),
  ]);
  assert.deepEqual([first.status, second.status], ["fulfilled", "fulfilled"]);
  await assert.rejects(admission.admit(aStream("third"), false), refusedBy(/^1\.8 of 2 cores/));
  admission.arrived(streamId("new")); // it was not stored after all
  assert.equal(await admission.admit(aStream("third"), false), null);
  world.availableBytes = 0.9 * GIB;
  await assert.rejects(
    admission.admit(aStream("fourth"), false),
    refusedBy(/MiB of memory are left/),
    "the others have not taken theirs yet",
  );
});

Deno.test("a stream that was started a moment ago is no measure for others", async () => {
  const { world, measure, begin } = aMachine();
  await begin("new");
  Object.assign(world, { cpuPercent: 100, busyCores: 1 }); // its browser starts
  await measure();
  assert.equal(await begin("other"), null);
});

Deno.test("no more streams than MAX_STREAMS start, whether or not the machine is measured", async () => {
  for (const isMeasured of [true, false]) {
    const { admission, world, begin } = aMachine({ running: ["a"], maxStreams: 2, isMeasured });
    assert.equal(await begin("new"), null);
    await assert.rejects(begin("other"), refusedBy(/^2 streams are started already/));
    assert.equal(await begin("new"), null, "it is one of them");
    const after = [...world.streams, aStream("more", "running")];
    await assert.rejects(admission.admitList(world.streams, after, false), /3 streams would be started/);
    await admission.admitList(world.streams, after, true);
    await admission.admitList(after, after, false); // no more than before
  }
});

Deno.test("a list is let in whole or not at all, by what is left of the machine", async () => {
  const { world, admission, measure } = aMachine({ running: names(12) });
  world.busyCores = 1.27;
  await measure();
  const list = (count: number) => Array.from({ length: count }, (_, at) => aStream(`more${at}`, "running"));
  const before = world.streams;
  await assert.rejects(
    admission.admitList(before, [...before, ...list(8)], false),
    (error) =>
      refusedBy(/^1\.8 of 2 cores are in use, and this one would take about 10 %/)(error) &&
      /8 streams would start, and there is room for 5: 1\.8 of 2 cores/.test((error as Error).message),
  );
  const letIn = await admission.admitList(before, [...before, ...list(5)], false);
  assert.deepEqual([...letIn.values()], Array(5).fill(null), "nothing of the refused list counts");
  await assert.rejects(admission.admit(aStream("new"), false), refusedBy(/^1\.8 of 2 cores/));
  for (const id of letIn.keys()) admission.arrived(id); // they were not stored after all
  const forced = await admission.admitList(before, [...before, ...list(8)], true);
  const texts = [...forced.values()];
  assert.deepEqual(texts.slice(0, 5), Array(5).fill(null));
  for (const text of texts.slice(5)) {
    assert.match(text!, /^Started on request, although (1\.8|1\.9|2\.0) of 2 cores/);
  }
});

Deno.test("streams that a list stops make room for those that it starts", async () => {
  const { world, admission, measure } = aMachine({ running: names(17) });
  await measure();
  const before = world.streams;
  const swapped = before.map((stream) =>
    stream.id === "s0" ? aStream("s0") : stream.id === "new" ? aStream("new", "running") : stream
  );
  assert.deepEqual([...await admission.admitList(before, swapped, false)], [["new", null]]);
});

Deno.test("without the check neither processors nor memory refuse a stream", async () => {
  const { world, begin } = aMachine({ running: names(40), isMeasured: false });
  world.availableBytes = 0;
  assert.equal(await begin("new"), null);
});

Deno.test("streams beyond MAX_STREAMS are restored, and their events say so", async () => {
  const { world, admission } = aMachine({ running: ["a", "b", "c"], maxStreams: 2, isMeasured: false });
  admission.start();
  assert.deepEqual(world.events, [
    "c warn: Restored, although 3 streams are started and MAX_STREAMS allows 2.",
  ]);
  await admission.stop();
});

Deno.test("a stream that runs only while watched is let in always, and counts while it runs", async () => {
  const { world, admission, places } = aMachine({ running: ["a"], maxStreams: 2 });
  const waiting = { ...aStream("waiting", "running"), onDemand: true };
  world.streams.push(waiting);
  assert.equal(await admission.admit({ ...aStream("new"), onDemand: true }, false), null);
  assert.equal(await admission.admit(aStream("new"), false), null, "one that waits takes nobody's place");
  assert.equal(
    places.noPlace(waiting.id),
    "MAX_STREAMS is 2",
    "nor does a viewer take that of one to come",
  );
  admission.arrived(streamId("new"));
  assert.equal(places.noPlace(waiting.id), null);
  world.watched.add(waiting.id);
  assert.equal(
    places.noPlace(streamId("other")),
    "MAX_STREAMS is 2",
    "one that is about to be started counts",
  );
  assert.equal(places.noPlace(waiting.id), null, "beside itself");
  world.watched.clear();
  world.startedAt.set(waiting.id, world.now);
  assert.equal(places.noPlace(streamId("other")), "MAX_STREAMS is 2");
  await assert.rejects(admission.admit(aStream("other"), false), refusedBy(/MAX_STREAMS/));
  await admission.admitList(
    [],
    [waiting, { ...waiting, id: streamId("b") }, { ...waiting, id: streamId("c") }],
    false,
  );
});

Deno.test("a start that is given up leaves another's place of the same stream alone", async () => {
  const { world, admission } = aMachine({ running: [], maxStreams: 1 });
  world.streams.push(aStream("one"), aStream("two"));
  await admission.admit(aStream("one"), false);
  await admission.admit(aStream("one"), false);
  admission.arrived(streamId("one"));
  await assert.rejects(admission.admit(aStream("two"), false), refusedBy(/MAX_STREAMS/));
  admission.arrived(streamId("one"));
  assert.equal(await admission.admit(aStream("two"), false), null);
});

Deno.test("a node of a cluster weighs a stream by its last measurement, with what it has just taken", async () => {
  const { world, admission, measure } = aMachine({ running: names(4), isNode: true });
  assert.match(admission.refusal(aStream("new"))!, /not measured yet/);
  await measure();
  assert.equal(admission.refusal(aStream("new")), null);
  const before = admission.room();
  assert.ok(before > 0.6 && before < 0.8, String(before));
  for (const id of names(18).slice(4)) {
    world.streams.push(aStream(id, "running"));
    admission.took(aStream(id));
  }
  assert.match(
    admission.refusal(aStream("new"))!,
    /^1\.8 of 2 cores are in use, and this one would take about 10 %/,
  );
  assert.ok(admission.room() < before / 2, String(admission.room()));
});

Deno.test("a node has as much room as MAX_STREAMS leaves, where nothing is measured", () => {
  const { world, admission } = aMachine({
    running: names(1),
    maxStreams: 4,
    isMeasured: false,
    isNode: true,
  });
  assert.deepEqual([admission.room(), admission.refusal(aStream("new"))], [0.75, null]);
  world.streams.push(...names(4).slice(1).map((id) => aStream(id, "running")));
  assert.equal(admission.room(), 0);
  assert.match(admission.refusal(aStream("new"))!, /4 streams are started already/);
  const unlimited = aMachine({ running: names(3), isMeasured: false, isNode: true });
  assert.equal(unlimited.admission.room(), 0.25);
});

Deno.test("a node that is too full for two minutes names its costliest stream", async () => {
  const { world, admission, measure } = aMachine({ running: names(3), isNode: true });
  world.cpuPercent = 60;
  world.busyCores = 1.9;
  await measure();
  world.now += 119_000;
  await measure();
  assert.equal(admission.excess(), null);
  world.now += 1000;
  assert.equal(admission.excess(), "s0");
  world.busyCores = 1.5;
  await measure();
  assert.equal(admission.excess(), null);
});
