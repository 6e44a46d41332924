/** When the picture of a stream last changed: what its status, the feed and the metrics tell of it. */
import { strict as assert } from "node:assert";
import type { FrameCounts } from "../../lib/display/capture/frame_counts.ts";
import { type StreamId, streamId } from "../../lib/model/id.ts";
import type { StreamStatus } from "../../lib/model/answers/shapes.ts";
import { type TestApp, testApp, type TestAppOptions } from "../support/app.ts";
import { readExposition, valueOf } from "../support/exposition.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { FeedListener } from "../support/feed_listener.ts";

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
/** From a change until a status tells it, of a page that stood still for long: two questions, and the cache between. */
const SOON_MS = 10_000;

interface Filmed extends TestApp {
  clock: FakeClock;
  /** What the capture program answers, by the display; a function is called at each question. */
  changes: Map<number, number | (() => number)>;
  /** How often it was asked. */
  asked: number;
  /** Waits in virtual time. */
  wait<Result>(work: Promise<Result>): Promise<Result>;
  /** Creates streams that run. @returns their displays. */
  running(...names: string[]): Promise<number[]>;
  display(id: string): number;
  lastChange(id: string): Promise<number | null | undefined>;
  unchanged(id: string): Promise<number | undefined>;
}

/** A test in virtual time, on streams whose displays the test changes. */
function filmedTest(
  name: string,
  test: (app: Filmed) => Promise<void>,
  options: TestAppOptions = {},
): void {
  Deno.test(name, async () => {
    using clock = new FakeClock();
    await using app = await testApp({ isStarted: true, ...options });
    const wait: Filmed["wait"] = async (work) => {
      let isOver = false;
      const over = work.finally(() => isOver = true);
      over.catch(() => {});
      for (let seconds = 0; !isOver && seconds < 30; seconds++) await clock.advance(SECOND_MS);
      assert.ok(isOver, "it takes half a minute");
      return await over;
    };
    const display = (id: string) => app.service.fleet.get(streamId(id)).spec!.display;
    const status = async (id: string): Promise<StreamStatus> =>
      (await app.api("GET", "/api/streams/statuses")).json[id];
    const filmed: Filmed = {
      ...app,
      clock,
      changes: new Map(),
      asked: 0,
      wait,
      display,
      running: async (...names) => {
        for (const name of names) await wait(app.create({ name }));
        await wait(app.idle());
        return names.map((name) => display(name.toLowerCase()));
      },
      lastChange: async (id) => (await status(id)).lastChangeAt,
      unchanged: async (id) => {
        const text = await (await app.fetch("/metrics")).text();
        return valueOf(readExposition(text), "browserstream_stream_unchanged_seconds", { stream: id });
      },
    };
    app.machine.frames = () => {
      filmed.asked++;
      const counts = Array.from(filmed.changes, ([display, at]): [number, FrameCounts] => {
        return [display, { sent: 9, dropped: 0, changedAt: typeof at === "number" ? at : at() }];
      });
      return Promise.resolve(new Map(counts));
    };
    try {
      await test(filmed);
    } finally {
      await wait(app.service.stop());
    }
  });
}

filmedTest("of a page that stands still, status and metric tell the very moment", async (app) => {
  const [display] = await app.running("Clock");
  assert.deepEqual([await app.lastChange("clock"), await app.unchanged("clock")], [null, undefined]);
  const changedAt = app.clock.now();
  app.changes.set(display, changedAt);
  await app.clock.advance(SOON_MS);
  assert.deepEqual([await app.lastChange("clock"), await app.unchanged("clock")], [
    changedAt,
    SOON_MS / 1000,
  ]);
  await app.clock.advance(15 * MINUTE_MS);
  assert.deepEqual(
    [await app.lastChange("clock"), await app.unchanged("clock")],
    [changedAt, 15 * 60 + SOON_MS / 1000],
  );
  const next = app.clock.now();
  app.changes.set(display, next);
  await app.clock.advance(SOON_MS);
  assert.equal(await app.lastChange("clock"), next, "it is told at once after a long rest");
});

filmedTest(
  "while a page goes on changing, its status is at most a minute behind, and then exact",
  async (app) => {
    const [display] = await app.running("Clock");
    app.changes.set(display, () => app.clock.now());
    await app.clock.advance(SOON_MS);
    const told = new Set<number>();
    for (let seconds = 0; seconds < 300; seconds++) {
      await app.clock.advance(SECOND_MS);
      const at = (await app.lastChange("clock"))!;
      told.add(at);
      assert.ok(app.clock.now() - at <= MINUTE_MS + SOON_MS, `${app.clock.now() - at} ms behind`);
      assert.equal(await app.unchanged("clock"), 0);
    }
    assert.ok(told.size >= 5 && told.size <= 6, `${told.size} times in 5 minutes`);
    const stoppedAt = app.clock.now();
    app.changes.set(display, stoppedAt);
    await app.clock.advance(MINUTE_MS + SOON_MS);
    assert.equal(await app.lastChange("clock"), stoppedAt);
  },
);

filmedTest("forty clocks make forty news a minute for those who listen", async (app) => {
  const names = Array.from({ length: 40 }, (_, at) => `Clock${at}`);
  for (const display of await app.running(...names)) app.changes.set(display, () => app.clock.now());
  await app.clock.advance(MINUTE_MS);
  await using listener = new FeedListener(await app.fetch("/api/events"));
  const count = new Map<string, number>();
  const listening = (async () => {
    for (let event = await listener.next(); event; event = await listener.next()) {
      if (event.name === "status") count.set(event.data.id, (count.get(event.data.id) ?? 0) + 1);
    }
  })();
  const minutes = 4;
  await app.clock.advance(minutes * MINUTE_MS);
  app.service.feed.endAll();
  await app.wait(listening);
  assert.equal(count.size, 40);
  for (const [id, news] of count) assert.ok(news >= minutes - 1 && news <= minutes, `${id}: ${news}`);
});

filmedTest("the capture program is asked once for all, and not while nothing runs", async (app) => {
  await app.clock.advance(MINUTE_MS);
  assert.equal(app.asked, 0);
  await app.running("A", "B", "C");
  const before = app.asked;
  await app.clock.advance(MINUTE_MS);
  for (let at = 0; at < 100; at++) await app.lastChange("a");
  assert.equal(app.asked - before, 12);
});

filmedTest("where encoders grab their displays, nobody is asked and nothing is told", async (app) => {
  const [display] = await app.running("Clock");
  app.changes.set(display, app.clock.now());
  await app.clock.advance(MINUTE_MS);
  assert.deepEqual([app.asked, await app.lastChange("clock")], [0, null]);
}, { env: { CAPTURE: "x11grab" } });

filmedTest(
  "an encoder that grabs its display, since it got no pictures, hides the last change",
  async (app) => {
    const [display] = await app.running("Clock");
    app.changes.set(display, app.clock.now());
    await app.clock.advance(SOON_MS);
    assert.ok(await app.lastChange("clock"));
    const runs = (input: string) => () =>
      Promise.resolve({ commandLine: `/usr/bin/ffmpeg\0-f\0${input}\0`, threads: new Map() });
    app.machine.encoder = runs("x11grab");
    await app.clock.advance(SOON_MS);
    assert.deepEqual([await app.lastChange("clock"), await app.unchanged("clock")], [null, undefined]);
    app.machine.encoder = runs("matroska");
    await app.clock.advance(SOON_MS);
    assert.equal(await app.lastChange("clock"), app.changes.get(display));
  },
);

filmedTest("a change before the stream's present start is told no more", async (app) => {
  const [display] = await app.running("Clock");
  app.changes.set(display, app.clock.now());
  await app.clock.advance(SOON_MS);
  assert.ok(await app.lastChange("clock"));
  await app.wait(app.api("POST", "/api/streams/clock/stop"));
  assert.deepEqual(
    [await app.lastChange("clock"), await app.unchanged("clock")],
    [null, undefined],
    "stopped",
  );
  await app.wait(app.api("POST", "/api/streams/clock/start"));
  assert.equal(app.display("clock"), display);
  await app.clock.advance(SOON_MS);
  assert.deepEqual(
    [await app.lastChange("clock"), await app.unchanged("clock")],
    [null, undefined],
    "started",
  );
  const changedAt = app.clock.now();
  app.changes.set(display, changedAt);
  await app.clock.advance(SOON_MS);
  assert.deepEqual([await app.lastChange("clock"), await app.unchanged("clock")], [
    changedAt,
    SOON_MS / 1000,
  ]);
});

filmedTest("a stream that starts tells no change until it is on the air", async (app) => {
  await app.wait(app.create({ delay: 60 }));
  await app.wait(app.idle());
  app.machine.supervisord.setState("wm-clock", "BACKOFF");
  const changedAt = app.clock.now();
  app.changes.set(app.display("clock"), changedAt);
  await app.clock.advance(SOON_MS);
  const state = async () => (await app.api("GET", "/api/streams/statuses")).json.clock.state;
  assert.equal(await state(), "starting");
  assert.deepEqual([await app.lastChange("clock"), await app.unchanged("clock")], [null, undefined]);
  app.machine.supervisord.setState("wm-clock", "RUNNING");
  await app.clock.advance(SOON_MS);
  assert.deepEqual([await state(), await app.lastChange("clock")], ["running", changedAt]);
  assert.equal(await app.unchanged("clock"), 2 * SOON_MS / 1000);
});

filmedTest(
  "a capture program that does not answer keeps no status waiting, and no change is forgotten",
  async (app) => {
    const [display] = await app.running("Clock");
    const changedAt = app.clock.now();
    app.changes.set(display, changedAt);
    await app.clock.advance(SOON_MS);
    const hanging = Promise.withResolvers<never>();
    app.machine.frames = () => hanging.promise;
    await app.clock.advance(MINUTE_MS);
    assert.equal(await app.lastChange("clock"), changedAt);
    hanging.reject(new Error("no answer in time"));
    app.machine.frames = () => Promise.reject(new Error("connect ENOENT"));
    await app.clock.advance(MINUTE_MS);
    assert.deepEqual([await app.lastChange("clock"), await app.unchanged("clock")], [changedAt, undefined]);
  },
);

const HOUR_MS = 3_600_000;
for (const [how, ms] of [["back", -HOUR_MS], ["forward", HOUR_MS]] as const) {
  filmedTest(`a clock that is set ${how} makes no time negative, and hides no later change`, async (app) => {
    const [display] = await app.running("Clock");
    app.changes.set(display, app.clock.now());
    await app.clock.advance(MINUTE_MS);
    app.clock.set(ms);
    assert.equal(await app.unchanged("clock"), Math.max(0, MINUTE_MS + ms) / 1000);
    const changedAt = app.clock.now();
    app.changes.set(display, changedAt);
    await app.clock.advance(MINUTE_MS);
    assert.deepEqual([await app.lastChange("clock"), await app.unchanged("clock")], [changedAt, 60]);
  });
}

Deno.test("another node of the cluster tells the last change, too", async () => {
  await using app = await testApp({ isAskedBeside: true });
  const { id } = await app.create();
  const { lastChange, spec } = app.service.fleet.get(id as StreamId);
  const changedAt = app.machine.now();
  lastChange.saw(new Map([[spec!.display, { sent: 1, dropped: 0, changedAt }]]));
  app.machine.advance(5000); // all states are told
  const { json } = await app.api("GET", "/api/streams/statuses");
  assert.equal(json[id].lastChangeAt, changedAt);
});
