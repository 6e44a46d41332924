/** When the thumbnails of streams that run are captured, and which are kept. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { Fleet } from "../../../../lib/fleet/fleet.ts";
import { ThumbnailRounds } from "../../../../lib/fleet/thumbnail_rounds.ts";
import { thumbnailFile } from "../../../../lib/live/picture/files.ts";
import { type StreamId, streamId } from "../../../../lib/model/id.ts";
import { DEFAULT_TIMINGS } from "../../../../lib/timings.ts";
import { aStream, isThere, namesIn } from "../../../support/fixture.ts";
import { aFleet } from "../../../support/ground.ts";
import { logged } from "../../../support/logged.ts";

const {
  thumbnailFirstMs: FIRST_AFTER_MS,
  thumbnailIntervalMs: INTERVAL_MS,
  thumbnailRequestedMs: REQUESTED_AFTER_MS,
  thumbnailRetryMs: RETRY_AFTER_MS,
} = DEFAULT_TIMINGS;

const jpeg = (marker: number) => Uint8Array.from([0xff, 0xd8, marker, 0xff, 0xd9]);
const A = streamId("a");
const B = streamId("b");

interface Capture {
  id: StreamId;
  signal: AbortSignal;
  end: PromiseWithResolvers<Uint8Array<ArrayBuffer>>;
}

/** Streams that run since `start`, whose captures end when the test says so. */
async function aStudio(streams: readonly Record<string, unknown>[]) {
  const world = await aFleet(streams.map((fields) => aStream({ desiredState: "running", ...fields })));
  const { ground, machine, clock, fleet } = world;
  const start = clock.now;
  const open: Capture[] = [];
  machine.broker.capture = (id, _resolution, _kind, signal) => {
    const end = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
    signal!.addEventListener("abort", () => end.reject(new Error("cancelled")));
    open.push({ id, signal: signal!, end });
    return end.promise;
  };
  const thumbnails = new ThumbnailRounds(ground, fleet);
  const of = (id: StreamId) => fleet.get(id).thumbnail;
  let taken = 0;
  return {
    ...world,
    start,
    open,
    thumbnails,
    of,
    a: of(streams[0].id as StreamId),
    dir: ground.paths.streamsDir,
    /** Goes to a time, so many ms after the streams' start. */
    at: (ms: number) => void (clock.now = start + ms),
    show: (id: StreamId, isGood: boolean) => fleet.get(id).page!.pageIs(isGood),
    async restart(id: StreamId) {
      await fleet.get(id).work.restart();
      await fleet.get(id).page!.pageIs(true);
    },
    /** Ends the oldest capture with a thumbnail or an error; waits until it is kept. */
    async finish(error?: Error) {
      const { id, end } = open.shift()!;
      const done = of(id).capture(); // joins
      if (error) end.reject(error);
      else end.resolve(jpeg(++taken));
      await done;
    },
    /** The streams whose captures one round began. */
    round(): string[] {
      const before = open.length;
      thumbnails.round();
      return open.slice(before).map(({ id }) => id);
    },
  };
}

function studioTest(
  name: string,
  test: (studio: Awaited<ReturnType<typeof aStudio>>) => Promise<void>,
  streams: readonly Record<string, unknown>[] = [{ id: "a" }],
) {
  Deno.test(`thumbnails: ${name}`, async () => {
    await using studio = await aStudio(streams);
    await test(studio);
  });
}

/** The entries that are logged meanwhile. */
async function entriesOf(work: () => Promise<void>): Promise<Record<string, string>[]> {
  return (await logged(work)).map((line) => JSON.parse(line)).filter(({ level }) => level !== "info");
}

studioTest("the first is due at delay + 60 s, then one every interval", async (studio) => {
  const { clock, at, round, finish, a } = studio;
  at(7000 + FIRST_AFTER_MS - 1);
  assert.deepEqual(round(), []);
  clock.now++;
  assert.deepEqual([round(), a.capturedAt], [["a"], undefined]);
  await finish();
  assert.equal(a.capturedAt, clock.now);
  clock.now += INTERVAL_MS - 1;
  assert.deepEqual(round(), []);
  clock.now++;
  assert.deepEqual(round(), ["a"]);
  await finish();
  assert.deepEqual(await a.get(), { bytes: jpeg(2), capturedAt: clock.now });
}, [{ id: "a", delay: 7 }]);

studioTest("one on request does not put off the first after a start", async (studio) => {
  const { clock, at, round, finish, restart, a } = studio;
  at(50_000);
  a.capture();
  await finish();
  at(FIRST_AFTER_MS);
  assert.deepEqual(round(), ["a"]);
  await finish();
  clock.now += 10_000;
  await restart(A);
  clock.now += INTERVAL_MS - 1;
  assert.deepEqual(round(), []);
  clock.now++;
  assert.deepEqual(round(), ["a"]);
});

const SIXTY = Array.from({ length: 60 }, (_, at) => ({ id: `s${at}` }));

studioTest("60 streams of one second are spread over 60, every time; none is forgotten", async (studio) => {
  const { clock, at, round, finish } = studio;
  at(FIRST_AFTER_MS);
  for (let minute = 0; minute < 3; minute++) {
    const seen: string[] = [];
    for (let second = 0; second < 60; second++) {
      seen.push(...round());
      await finish();
      clock.now += 1000;
    }
    assert.deepEqual(seen.toSorted(), SIXTY.map(({ id }) => id).sort());
  }
}, SIXTY);

studioTest("two captures at most go on at once; the schedule waits, requests are queued", async (studio) => {
  const { at, round, open, finish, of } = studio;
  at(FIRST_AFTER_MS);
  assert.deepEqual([round(), round(), round()], [["s0"], ["s1"], []]);
  const waiting = ["s2", "s3"].map((id) => of(streamId(id)).capture());
  assert.equal(open.length, 2);
  await finish();
  assert.deepEqual(open.map(({ id }) => id), ["s1", "s2"]);
  assert.deepEqual(round(), []);
  while (open.length > 1) await finish();
  assert.deepEqual(open.map(({ id }) => id), ["s3"], "no round put one of its own into the queue");
  await finish();
  await Promise.all(waiting);
  assert.ok(of(streamId("s3")).capturedAt);
}, SIXTY.slice(0, 5));

studioTest(
  "a capture that hangs holds back its own stream only, also while somebody waits for it",
  async (studio) => {
    const { clock, at, round, finish, open, restart, a } = studio;
    at(FIRST_AFTER_MS);
    assert.deepEqual(round(), ["a"]);
    clock.now += INTERVAL_MS;
    assert.deepEqual(round(), ["b"]);
    await finish(new Error("it shows nothing"));
    await finish();
    await restart(B);
    await a.get();
    clock.now += FIRST_AFTER_MS; // b is due later than the next try for a
    assert.deepEqual([open.map(({ id }) => id), round()], [["a"], ["b"]]);
  },
  [{ id: "a" }, { id: "b" }],
);

studioTest("who asks while one is taken joins it", async ({ open, finish, a }) => {
  const requested = [a.capture(), a.capture(), a.capture()];
  assert.deepEqual([new Set(requested).size, open.length], [1, 1]);
  await finish();
  await Promise.all(requested);
  a.capture();
  assert.equal(open.length, 1, "the next one is a new one");
});

studioTest("without one, asking takes one as soon as the page is painted", async (studio) => {
  const { clock, at, open, round, finish, a } = studio;
  assert.equal(await a.get(), null);
  at(REQUESTED_AFTER_MS - 1);
  assert.equal(await a.get(), null);
  assert.deepEqual([open.length, round()], [0, []]);
  clock.now++;
  assert.deepEqual(round(), ["a"], "without being asked again");
  assert.equal(await a.get(), null);
  assert.equal(open.length, 1);
  await finish();
  assert.deepEqual(await a.get(), { bytes: jpeg(1), capturedAt: clock.now });
  clock.now += RETRY_AFTER_MS;
  await a.get();
  assert.deepEqual([open.length, round()], [0, []], "who has a thumbnail waits for the schedule");
});

studioTest(
  "a stream that runs for long answers at once; a failing one is not tried at every request",
  async (studio) => {
    const { clock, at, open, finish, a } = studio;
    at(10 * INTERVAL_MS);
    const entries = await entriesOf(async () => {
      await a.get();
      await finish(new Error("no display"));
      for (let request = 0; request < 20; request++) await a.get();
      assert.equal(open.length, 0);
      clock.now += RETRY_AFTER_MS;
      await a.get();
      await finish(new Error("no display"));
    });
    const told = entries.map(({ level, stream, error }) => [level, stream, error]);
    assert.deepEqual(told, [["warn", "a", "no display"]]);
  },
);

studioTest("a lost file is a missing thumbnail", async ({ clock, at, finish, a, dir }) => {
  at(2 * INTERVAL_MS);
  a.capture();
  await finish();
  await Deno.remove(thumbnailFile(dir, A));
  clock.now += RETRY_AFTER_MS;
  assert.deepEqual([await a.get(), a.capturedAt], [null, undefined]);
  await finish();
  assert.ok(await a.get());
});

studioTest(
  "a failure keeps the old one, is told once in a row, and tried again on schedule",
  async (studio) => {
    const { clock, round, finish, a } = studio;
    a.capture();
    await finish();
    const shown: number[] = [];
    const entries = await entriesOf(async () => {
      for (const works of [false, false, false, true, false]) {
        clock.now += INTERVAL_MS;
        assert.deepEqual(round(), ["a"]);
        await finish(works ? undefined : new Error("broken"));
        shown.push((await a.get())!.bytes[2]);
      }
    });
    assert.deepEqual([entries.map(({ level }) => level), shown], [["warn", "warn"], [1, 1, 1, 2, 2]]);
  },
);

studioTest("a stopped stream keeps its own and gets no new one", async (studio) => {
  const { clock, round, finish, store, open, fleet, a, dir } = studio;
  a.capture();
  await finish();
  // one that was under way at the stop may show the browser going away
  clock.now += INTERVAL_MS;
  const late = a.capture();
  await store.change((streams) => streams.map((stream) => ({ ...stream, desiredState: "stopped" as const })));
  open.shift()!.end.resolve(jpeg(9));
  await late;
  await fleet.get(A).work.stop();
  clock.now += INTERVAL_MS;
  assert.deepEqual(round(), []);
  assert.throws(() => a.capture(), { name: "ServiceError", status: 409, message: /"a" does not run/ });
  assert.deepEqual((await a.get())?.bytes, jpeg(1));
  assert.deepEqual(await namesIn(join(dir, "a")), ["thumb.jpg"]);
});

studioTest("one across a restart is thrown away, and its failure is not logged", async (studio) => {
  const { clock, open, restart, fleet, a } = studio;
  const entries = await entriesOf(async () => {
    const across = a.capture();
    clock.now += 5;
    await restart(A);
    open.shift()!.end.resolve(jpeg(1));
    await across;
    assert.equal(a.capturedAt, undefined);
    const failing = a.capture();
    await fleet.get(A).work.stop();
    open.shift()!.end.reject(new Error("the display went away"));
    await failing;
  });
  assert.deepEqual(entries, []);
});

studioTest("a stream that is being changed has to wait", async ({ at, fleet, round }) => {
  at(FIRST_AFTER_MS);
  const change = Promise.withResolvers<void>();
  const work = fleet.get(A).work.apply(() => change.promise);
  assert.deepEqual(round(), []);
  change.resolve();
  await work;
  await fleet.settled();
  assert.deepEqual(round(), ["a"]);
});

studioTest("a deleted stream's capture ends, and nothing is left, however late it was", async (studio) => {
  const { finish, open, a, dir } = studio;
  a.capture();
  await finish();
  const entries = await entriesOf(async () => {
    const late = a.capture();
    await a.remove();
    assert.ok(open.shift()!.signal.aborted);
    await late;
    assert.deepEqual([a.capturedAt, await isThere(join(dir, "a"))], [undefined, false]);
    const ready = a.capture();
    open[0].end.resolve(jpeg(1));
    await a.remove();
    await ready;
  });
  assert.deepEqual([entries, await isThere(join(dir, "a"))], [[], false]);
});

studioTest("the end stops captures and the schedule, without a word", async (studio) => {
  const { clock, at, thumbnails, fleet, open, round } = studio;
  thumbnails.start();
  at(FIRST_AFTER_MS);
  const entries = await entriesOf(async () => {
    const current = fleet.list().map(({ thumbnail }) => thumbnail.capture());
    await Promise.all([thumbnails.stop(), ...current]);
  });
  assert.deepEqual([entries, open.map(({ signal }) => signal.aborted)], [[], [true, true]]);
  clock.now += INTERVAL_MS;
  assert.deepEqual(round(), []);
}, [{ id: "a" }, { id: "b" }, { id: "c" }]);

studioTest(
  "a restart of the service keeps them and their times, and removes those of gone streams",
  async (studio) => {
    const { clock, at, finish, of, store, ground, dir } = studio;
    at(FIRST_AFTER_MS);
    const capturedAt = clock.now;
    for (const id of [A, B]) {
      of(id).capture();
      await finish();
    }
    await store.change(([first]) => [first]);
    clock.now += 5000;
    const again = new Fleet(ground);
    await again.restore();
    const { thumbnail, page } = again.get(A);
    await page!.pageIs(true);
    await new ThumbnailRounds(ground, again).load();
    assert.deepEqual(await thumbnail.get(), { bytes: jpeg(1), capturedAt });
    assert.deepEqual(await namesIn(dir), ["a", "streams.json"]);
    assert.equal(thumbnail.dueAt, capturedAt + INTERVAL_MS);
    await again.stop();
  },
  [{ id: "a" }, { id: "b" }],
);

studioTest("a clock that is set back does not stop them", async ({ clock, machine, round, finish, a }) => {
  a.capture();
  await finish();
  clock.setBy = -3_600_000;
  clock.now += INTERVAL_MS - 1;
  assert.deepEqual(round(), []);
  clock.now += 1;
  assert.deepEqual(round(), ["a"]);
  await finish();
  assert.equal(a.capturedAt, machine.now());
});

studioTest(
  "what a stream shows instead of its page is never one, nor is that captured on request",
  async (studio) => {
    const { clock, at, show, round, finish, open, a } = studio;
    await show(A, false);
    at(FIRST_AFTER_MS);
    assert.deepEqual([round(), await a.get(), open.length], [[], null, 0]);
    assert.throws(() => a.capture(), { name: "ServiceError", status: 409, message: /not show its page yet/ });
    await show(A, true);
    assert.deepEqual(round(), ["a"]);
    await finish();
    const good = a.capturedAt;
    assert.equal(good, clock.now);
    clock.now += INTERVAL_MS;
    assert.deepEqual(round(), ["a"]);
    const done = a.capture(); // joins
    await show(A, false); // while it is captured
    open.shift()!.end.resolve(jpeg(9));
    await done;
    assert.equal(a.capturedAt, good);
    assert.throws(() => a.capture(), { message: /last good thumbnail is kept/ });
  },
);
