import assert from "node:assert/strict";
import { join } from "node:path";
import { ServiceError } from "../../../../lib/errors.ts";
import { thumbnailFile } from "../../../../lib/live/picture/files.ts";
import { type StreamId, streamId } from "../../../../lib/model/id.ts";
import type { Stream } from "../../../../lib/model/schema.ts";
import { ThumbnailRounds } from "../../../../lib/fleet/thumbnail_rounds.ts";
import type { LiveStream } from "../../../../lib/live/live_stream.ts";
import type { StartedSpec } from "../../../../lib/live/programs/pipeline.ts";
import { Thumbnail } from "../../../../lib/live/picture/thumbnail.ts";
import { DEFAULT_TIMINGS } from "../../../../lib/timings.ts";
import { aGround } from "../../../support/ground.ts";
import { aStream, isThere, namesIn, tempDir } from "../../../support/fixture.ts";
import { logged } from "../../../support/logged.ts";

const {
  thumbnailFirstMs: FIRST_AFTER_MS,
  thumbnailIntervalMs: INTERVAL_MS,
  thumbnailRequestedMs: REQUESTED_AFTER_MS,
  thumbnailRetryMs: RETRY_AFTER_MS,
} = DEFAULT_TIMINGS;

const START = 1_000_000_000_000;
const jpeg = (marker: number) => Uint8Array.from([0xff, 0xd8, marker, 0xff, 0xd9]);

/** Thumbnails of streams that run, with a clock and captures that end when the test says so. */
function aStudio(streamsDir: string, streams: Stream[] = [aStream({ id: "a" })]) {
  const { ground, machine, clock } = aGround();
  clock.now = START;
  const specs = new Map<string, StartedSpec>();
  const started = (stream: Stream, startedAt = START) =>
    specs.set(stream.id, { stream, display: 1, startedAt, steadyStart: startedAt });
  streams.forEach((stream) => started(stream));
  const busy = new Set<string>();
  const hidden = new Set<string>();
  const open: { id: StreamId; signal: AbortSignal; end: PromiseWithResolvers<Uint8Array<ArrayBuffer>> }[] =
    [];
  let taken = 0;
  const { now, elapsed } = machine;
  const aLive = (id: StreamId) => {
    const live = {
      id,
      get stream() {
        return streams.find((one) => one.id === id);
      },
      get spec() {
        return specs.get(id) ?? null;
      },
      get isBusy() {
        return busy.has(id);
      },
    };
    const thumbnail = new Thumbnail({
      live,
      streamsDir,
      captures: ground.supervision.captures,
      limits: DEFAULT_TIMINGS,
      now,
      elapsed,
      isShown: () => !hidden.has(id),
      capture: ({ stream }, signal) => {
        const end = Promise.withResolvers<Uint8Array<ArrayBuffer>>();
        signal.addEventListener("abort", () => end.reject(new Error("cancelled")));
        open.push({ id: stream.id, signal, end });
        return end.promise;
      },
    });
    return Object.assign(live, { thumbnail });
  };
  const all = streams.map(({ id }) => aLive(id)) as unknown as LiveStream[];
  const find = (id: StreamId) => all.find((one) => one.id === id);
  const thumbnails = new ThumbnailRounds(
    { ...ground, paths: { ...ground.paths, streamsDir } },
    { list: () => all, find },
  );
  const of = (id: string) => find(streamId(id))!.thumbnail;
  return {
    clock,
    streams,
    specs,
    busy,
    hidden,
    open,
    thumbnails,
    of,
    started,
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
  test: (studio: ReturnType<typeof aStudio>, dir: string) => Promise<void>,
  streams?: Stream[],
) {
  Deno.test(name, async () => {
    await using dir = await tempDir();
    await test(aStudio(dir.path, streams), dir.path);
  });
}

/** The entries that are logged meanwhile. */
async function entriesOf(
  work: () => Promise<void>,
): Promise<{ level: string; stream: string; error: string }[]> {
  return (await logged(work)).map((line) => JSON.parse(line));
}

studioTest(
  "the first thumbnail is due at delay + 60 s, then one every interval",
  async ({ clock, round, finish, of }) => {
    clock.now = START + 7000 + FIRST_AFTER_MS - 1;
    assert.deepEqual(round(), []);
    clock.now++;
    assert.deepEqual(round(), ["a"]);
    assert.equal(of("a").capturedAt, undefined);
    await finish();
    assert.equal(of("a").capturedAt, clock.now);
    clock.now += INTERVAL_MS - 1;
    assert.deepEqual(round(), []);
    clock.now++;
    assert.deepEqual(round(), ["a"]);
    await finish();
    assert.deepEqual(await of("a").get(), { bytes: jpeg(2), capturedAt: clock.now });
  },
  [aStream({ id: "a", delay: 7 })],
);

studioTest("a thumbnail on request does not put off the first one after a start", async (studio) => {
  const { clock, round, finish, started, streams, of } = studio;
  clock.now = START + 50_000;
  of("a").capture();
  await finish();
  clock.now = START + FIRST_AFTER_MS;
  assert.deepEqual(round(), ["a"]);
  await finish();
  clock.now += 10_000;
  started(streams[0], clock.now); // a restart
  clock.now += INTERVAL_MS - 1;
  assert.deepEqual(round(), []);
  clock.now++;
  assert.deepEqual(round(), ["a"]);
  await finish();
});

const SIXTY = Array.from({ length: 60 }, (_, at) => aStream({ id: `s${at}` }));

studioTest("60 streams of one second are spread over 60, every time; none is forgotten", async (studio) => {
  const { clock, round, finish } = studio;
  clock.now = START + FIRST_AFTER_MS;
  for (let minute = 0; minute < 3; minute++) {
    const seen = new Set<string>();
    for (let second = 0; second < 60; second++) {
      const begun = round();
      assert.equal(begun.length, 1, `second ${second} of minute ${minute}`);
      seen.add(begun[0]);
      await finish();
      clock.now += 1000;
    }
    assert.equal(seen.size, 60);
  }
}, SIXTY);

studioTest("two captures at most go on at once; the schedule waits, requests are queued", async (studio) => {
  const { clock, round, open, finish, of } = studio;
  clock.now = START + FIRST_AFTER_MS;
  assert.deepEqual([round(), round(), round()], [["s0"], ["s1"], []]);
  const waiting = ["s2", "s3"].map((id) => of(id).capture());
  assert.equal(open.length, 2);
  await finish();
  assert.deepEqual(open.map(({ id }) => id), ["s1", "s2"]);
  assert.deepEqual(round(), []);
  while (open.length > 1) await finish();
  assert.deepEqual(open.map(({ id }) => id), ["s3"], "no round put one of its own into the queue");
  while (open.length > 0) await finish();
  await Promise.all(waiting);
  assert.ok(of("s3").capturedAt);
}, SIXTY);

studioTest("a capture that hangs holds back its own stream only", async ({ clock, round, finish, open }) => {
  clock.now = START + FIRST_AFTER_MS;
  assert.deepEqual(round(), ["a"]);
  clock.now += INTERVAL_MS;
  assert.deepEqual(round(), ["b"]);
  await finish();
  await finish();
  assert.equal(open.length, 0);
}, [aStream({ id: "a" }), aStream({ id: "b" })]);

studioTest(
  "one that hangs while somebody waits for it does not hold back the others either",
  async (studio) => {
    const { clock, round, finish, open, started, streams, of } = studio;
    clock.now = START + FIRST_AFTER_MS;
    await of("a").get();
    clock.now += RETRY_AFTER_MS + 1000;
    started(streams[1], clock.now - FIRST_AFTER_MS); // due later than the next try for a
    assert.deepEqual(round(), ["b"]);
    while (open.length > 0) await finish();
  },
  [aStream({ id: "a" }), aStream({ id: "b" })],
);

studioTest("who asks while one is taken joins it", async ({ open, finish, of }) => {
  const requested = [
    of("a").capture(),
    of("a").capture(),
    of("a").capture(),
  ];
  assert.equal(new Set(requested).size, 1);
  assert.equal(open.length, 1);
  await finish();
  await Promise.all(requested);
  of("a").capture();
  assert.equal(open.length, 1, "the next one is a new one");
  await finish();
});

studioTest("without a thumbnail, asking takes one as soon as the page is painted", async (studio) => {
  const { clock, open, round, finish, of } = studio;
  assert.equal(await of("a").get(), null);
  clock.now = START + REQUESTED_AFTER_MS - 1;
  assert.equal(await of("a").get(), null);
  assert.deepEqual([open.length, round()], [0, []]);
  clock.now++;
  assert.deepEqual(round(), ["a"], "without being asked again");
  assert.equal(await of("a").get(), null);
  assert.equal(open.length, 1);
  await finish();
  assert.deepEqual(await of("a").get(), { bytes: jpeg(1), capturedAt: clock.now });
  clock.now += RETRY_AFTER_MS;
  await of("a").get();
  assert.deepEqual([open.length, round()], [0, []], "who has a thumbnail waits for the schedule");
});

studioTest(
  "a stream that runs for long answers at once; a failing one is not tried at every request",
  async (studio) => {
    const { clock, open, finish, of } = studio;
    clock.now = START + 10 * INTERVAL_MS;
    const entries = await entriesOf(async () => {
      await of("a").get();
      assert.equal(open.length, 1);
      await finish(new Error("no display"));
      for (let request = 0; request < 20; request++) await of("a").get();
      assert.equal(open.length, 0);
      clock.now += RETRY_AFTER_MS;
      await of("a").get();
      assert.equal(open.length, 1);
      await finish(new Error("no display"));
    });
    assert.deepEqual(entries.map(({ level, stream, error }) => [level, stream, error]), [
      ["warn", "a", "no display"],
    ]);
  },
);

studioTest("a lost file is a missing thumbnail", async ({ clock, finish, of }, dir) => {
  clock.now = START + 2 * INTERVAL_MS;
  of("a").capture();
  await finish();
  await Deno.remove(thumbnailFile(dir, streamId("a")));
  clock.now += RETRY_AFTER_MS;
  assert.equal(await of("a").get(), null);
  assert.equal(of("a").capturedAt, undefined);
  await finish();
  assert.ok(await of("a").get());
});

studioTest(
  "a failure keeps the old thumbnail, is told once in a row, and tried again on schedule",
  async (studio) => {
    const { clock, round, finish, of } = studio;
    of("a").capture();
    await finish();
    const capturedAt = of("a").capturedAt;
    const entries = await entriesOf(async () => {
      for (const works of [false, false, false, true, false]) {
        clock.now += INTERVAL_MS;
        assert.deepEqual(round(), ["a"]);
        await finish(works ? undefined : new Error("broken"));
        if (!works && capturedAt === of("a").capturedAt) {
          assert.deepEqual((await of("a").get())?.bytes, jpeg(1));
        }
      }
    });
    assert.deepEqual(entries.map(({ level }) => level), ["warn", "warn"]);
  },
);

studioTest("a stopped stream keeps its thumbnail and gets no new one", async (studio, dir) => {
  const { clock, round, finish, streams, specs, open, of } = studio;
  of("a").capture();
  await finish();
  // one that was under way at the stop may show the browser going away
  clock.now += INTERVAL_MS;
  const late = of("a").capture();
  streams[0] = { ...streams[0], desiredState: "stopped" };
  open.shift()!.end.resolve(jpeg(9));
  await late;
  specs.clear();
  clock.now += INTERVAL_MS;
  assert.deepEqual(round(), []);
  assert.throws(
    () => of("a").capture(),
    (error) =>
      error instanceof ServiceError && error.status === 409 && /"a" does not run/.test(error.message),
  );
  assert.deepEqual((await of("a").get())?.bytes, jpeg(1));
  assert.deepEqual(await namesIn(join(dir, "a")), ["thumb.jpg"]);
});

studioTest("a thumbnail across a restart is thrown away, and its failure is not logged", async (studio) => {
  const { clock, started, streams, open, specs, of } = studio;
  const entries = await entriesOf(async () => {
    const across = of("a").capture();
    started(streams[0], clock.now + 5);
    open.shift()!.end.resolve(jpeg(1));
    await across;
    assert.equal(of("a").capturedAt, undefined);
    const failing = of("a").capture();
    specs.clear();
    open.shift()!.end.reject(new Error("the display went away"));
    await failing;
  });
  assert.deepEqual(entries, []);
});

studioTest("a stream that is being changed has to wait", async ({ clock, busy, round, finish }) => {
  clock.now = START + FIRST_AFTER_MS;
  busy.add("a");
  assert.deepEqual(round(), []);
  busy.clear();
  assert.deepEqual(round(), ["a"]);
  await finish();
});

studioTest("a deleted stream's capture ends and leaves nothing", async (studio, dir) => {
  const { finish, open, of } = studio;
  of("a").capture();
  await finish();
  const entries = await entriesOf(async () => {
    const late = of("a").capture();
    await of("a").remove();
    assert.ok(open[0].signal.aborted);
    await late;
  });
  assert.deepEqual([entries, of("a").capturedAt, await isThere(join(dir, "a"))], [
    [],
    undefined,
    false,
  ]);
});

studioTest(
  "a thumbnail that is ready at the very moment of the deletion is not kept",
  async (studio, dir) => {
    const { open, of } = studio;
    const late = of("a").capture();
    open[0].end.resolve(jpeg(1));
    await of("a").remove();
    await late;
    assert.equal(await isThere(join(dir, "a")), false);
  },
);

studioTest(
  "the end stops captures and the schedule, without a word",
  async ({ clock, thumbnails, open, round, of }) => {
    thumbnails.start();
    clock.now = START + FIRST_AFTER_MS;
    const entries = await entriesOf(async () => {
      const current = [
        of("a").capture(),
        of("b").capture(),
        of("c").capture(),
      ];
      await Promise.all([thumbnails.stop(), ...current]);
    });
    assert.deepEqual([entries, open.map(({ signal }) => signal.aborted)], [[], [true, true]]);
    clock.now += INTERVAL_MS;
    assert.deepEqual(round(), []);
  },
  ["a", "b", "c"].map((id) => aStream({ id })),
);

studioTest(
  "a restart of the service keeps thumbnails and their times, and removes those of gone streams",
  async (studio, dir) => {
    const { clock, finish, streams, of } = studio;
    for (const id of ["a", "b"]) {
      of(id).capture();
      await finish();
    }
    const capturedAt = clock.now;
    const second = aStudio(dir, [streams[0]]);
    second.clock.now = capturedAt + 2 * INTERVAL_MS;
    await second.thumbnails.load();
    assert.deepEqual(await second.of("a").get(), { bytes: jpeg(1), capturedAt });
    assert.deepEqual(await namesIn(dir), ["a"]);
    assert.deepEqual(second.round(), ["a"]);
    await second.finish();
  },
  [aStream({ id: "a" }), aStream({ id: "b" })],
);

studioTest(
  "a clock that is set back does not stop the thumbnails",
  async ({ clock, round, finish, of }) => {
    of("a").capture();
    await finish();
    clock.setBy = -3_600_000;
    clock.now += INTERVAL_MS - 1;
    assert.deepEqual(round(), []);
    clock.now += 1;
    assert.deepEqual(round(), ["a"]);
    await finish();
    assert.equal(of("a").capturedAt, clock.now + clock.setBy);
  },
);

studioTest("what a stream shows instead of its page is never its thumbnail", async (studio) => {
  const { clock, hidden, round, finish, of } = studio;
  const id = streamId("a");
  clock.now = START + FIRST_AFTER_MS;
  assert.deepEqual(round(), ["a"]);
  await finish();
  const good = of(id).capturedAt;
  assert.equal(good, clock.now);
  clock.now += INTERVAL_MS;
  assert.deepEqual(round(), ["a"]);
  const { end } = studio.open.shift()!;
  const done = of(id).capture(); // joins
  hidden.add("a"); // while it is captured
  end.resolve(jpeg(9));
  await done;
  assert.equal(of(id).capturedAt, good);
});

studioTest("while its page is bad a stream is not captured, also when asked to", async (studio) => {
  const { clock, hidden, round, of } = studio;
  hidden.add("a");
  clock.now = START + FIRST_AFTER_MS;
  assert.deepEqual(round(), []);
  assert.equal(await of("a").get(), null);
  assert.equal(studio.open.length, 0);
  assert.throws(() => of("a").capture(), { name: "ServiceError", status: 409 });
  hidden.clear();
  assert.deepEqual(round(), ["a"]);
  await studio.finish();
});
