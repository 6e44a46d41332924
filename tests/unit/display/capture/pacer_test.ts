/** When pictures are written: the rules that keep players happy. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { missedTicks, type Pace, Pacer, segmentTicks } from "../../../../lib/display/capture/pacer.ts";

const START = Date.UTC(2026, 0, 1) + 137;

interface Run {
  /** Times since the first picture, in ms. */
  times: number[];
  /** When each was written, since the first picture's time. */
  written: number[];
  /** When it began, since the first picture's time. */
  began: number;
}

/**
 * Runs a pacer for some seconds.
 * @param changes times of changes since the start, in ms. @param busy from when to when nothing could be written.
 */
function run(pace: Pace, seconds: number, changes: number[] = [], busy: [number, number][] = []): Run {
  let now = START;
  const pacer = new Pacer(pace, now);
  const times: number[] = [], written: number[] = [];
  const left = changes.map((at) => START + at).sort((a, b) => a - b);
  while (now < START + seconds * 1000) {
    const hasChanged = left.length > 0 && left[0] <= now;
    const next = pacer.nextAt(now, hasChanged);
    if (next > now) {
      now = !hasChanged && left.length > 0 ? Math.min(next, left[0]) : next;
      continue;
    }
    const { oldAt, at } = pacer.due(now, hasChanged);
    if (hasChanged) { while (left.length > 0 && left[0] <= now) left.shift(); }
    for (const time of oldAt === null ? [at] : [oldAt, at]) {
      times.push(time);
      written.push(now);
    }
    pacer.wrote(hasChanged);
    const [, end] = busy.find(([from, to]) => from <= now - START && now - START < to) ?? [];
    if (end !== undefined) now = START + end;
  }
  const since = (list: number[]) => list.map((time) => time - times[0]);
  return { times: since(times), written: since(written), began: START - times[0] };
}

const pace = fc.record({ fps: fc.integer({ min: 1, max: 60 }), gop: fc.integer({ min: 1, max: 240 }) })
  .map(({ fps, gop }) => ({ fps, gop: Math.min(gop, fps * 4) }));
const moments = (seconds: number) => fc.array(fc.nat(seconds * 1000), { maxLength: 60 });

Deno.test("pacer: a still display has two pictures a second, at its beginning and its half, for good", () => {
  for (const fps of [2, 10, 24, 25, 30, 60]) {
    const { times } = run({ fps, gop: fps }, 600);
    times.forEach((time, at) => assert.equal(time, at * 500, `${fps} fps`));
  }
});

Deno.test("pacer: a display that always changes has as many pictures as it may", () => {
  for (const fps of [1, 10, 25, 30, 60]) {
    const { times } = run({ fps, gop: fps }, 10, Array.from({ length: 10_000 }, (_, at) => at));
    times.forEach((time, at) => assert.ok(Math.abs(time - at * 1000 / fps) <= 1, `${fps} fps: ${time}`));
  }
});

Deno.test("pacer: each segment begins exactly where the one before ends, whatever changes and however late", () => {
  fc.assert(
    fc.property(
      pace,
      moments(20),
      fc.array(fc.tuple(fc.nat(19_000), fc.nat(4000))),
      (one, changes, waits) => {
        const busy = waits.map(([from, wait]): [number, number] => [from, from + wait]);
        const { times } = run(one, 20, changes, busy);
        const length = segmentTicks(one) * 1000 / one.fps;
        for (let at = 0; at < times.at(-1)! - 1; at += length) {
          assert.ok(times.some((time) => Math.abs(time - at) <= 1), `nothing at ${at} of ${times}`);
        }
      },
    ),
  );
});

Deno.test("pacer: times only go on, half a second at most at once, and no faster than the rate", () => {
  fc.assert(
    fc.property(pace, moments(10), (one, changes) => {
      const { times, written } = run(one, 10, changes);
      // a half is left out where a picture is less than a tick before it
      const longest = 500 + 1000 / one.fps;
      for (let at = 1; at < times.length; at++) {
        const gap = times[at] - times[at - 1];
        assert.ok(gap > 0 && gap <= longest, `${gap} ms after ${times[at - 1]}`);
      }
      for (let from = 0; from < 9000; from += 500) {
        const count = times.filter((time) => time >= from && time < from + 1000).length;
        // what lies in between of ticks, and the two of a segment's end
        assert.ok(count <= one.fps + 4, `${count} pictures at ${one.fps} fps`);
      }
      times.forEach((time, at) => assert.ok(time <= written[at] + 1, "no picture is of the future"));
    }),
  );
});

Deno.test("pacer: the last two pictures of a segment with a change are one tick apart", () => {
  fc.assert(
    fc.property(fc.constantFrom(10, 25, 30), moments(10), (fps, changes) => {
      const { times } = run({ fps, gop: fps }, 12, changes);
      for (let second = 0; second < 10; second++) {
        const own = times.filter((time) => time >= second * 1000 - 1 && time < second * 1000 + 999);
        if (own.length <= 2) continue;
        const [before, last] = own.slice(-2);
        assert.ok(Math.abs(last - (second + 1) * 1000 + 1000 / fps) <= 1, `${own} at ${fps} fps`);
        assert.ok(Math.abs(last - before - 1000 / fps) <= 1, `${own} at ${fps} fps`);
      }
    }),
  );
});

Deno.test("pacer: a display that changes about once a tick has as many pictures as it may, wherever in the tick", () => {
  const jitter = fc.array(fc.double({ min: -0.2, max: 0.2, noNaN: true }), {
    minLength: 300,
    maxLength: 300,
  });
  fc.assert(
    fc.property(
      fc.constantFrom(10, 25, 30),
      fc.double({ min: 0, max: 1, noNaN: true }),
      jitter,
      (fps, phase, offs) => {
        const changes = offs.map((off, at) => Math.max(0, (at + phase + off) * 1000 / fps));
        const { times } = run({ fps, gop: fps }, 10, changes);
        assert.ok(times.length >= 10 * fps - 2, `${times.length} pictures of ${10 * fps}`);
      },
    ),
  );
});

Deno.test("pacer: a change is written at the nearest tick, or at the next", () => {
  fc.assert(
    fc.property(fc.constantFrom(10, 25, 30), fc.integer({ min: 100, max: 8000 }), (fps, change) => {
      const { written, times, began } = run({ fps, gop: fps }, 10, [change]);
      const [from, to] = [began + change - 500 / fps - 1, began + change + 1000 / fps + 1];
      const at = times.findIndex((time) => time >= from && time <= to);
      assert.ok(at > 0 && written[at] <= to, `${change} ms: ${times}`);
    }),
  );
});

Deno.test("pacer: after a wait, what has to be there comes at once, and the rest of the time is left out", () => {
  const { times, written } = run({ fps: 25, gop: 25 }, 12, [2990, 3000, 8000], [[3000, 7300]]);
  const during = times.filter((time) => time > 3100 && time < 7000);
  assert.ok(during.length <= 4 * 4, `${during}`);
  for (const time of [4000, 4500, 5000, 5500, 6000, 6500, 7000]) assert.ok(times.includes(time), `${time}`);
  const lag = times.map((time, at) => written[at] - time);
  assert.ok(lag.at(-1)! < 41, "it has caught up");
});

Deno.test("pacer: segments last as long as the key frames are apart, and a second at least", () => {
  const cases = [[25, 25, 25], [25, 50, 50], [25, 10, 30], [25, 1, 25], [30, 45, 45], [10, 40, 40]];
  for (const [fps, gop, ticks] of cases) assert.equal(segmentTicks({ fps, gop }), ticks);
});

Deno.test("pacer: a change misses the ticks that go by until its picture, but for the one that it may wait", () => {
  const missed = (ms: number, fps = 25) => missedTicks(START, START + ms, fps);
  assert.deepEqual([-40, 0, 39, 40, 79].map((ms) => missed(ms)), [0, 0, 0, 0, 0]);
  assert.deepEqual([80, 119, 120, 1000].map((ms) => missed(ms)), [1, 1, 2, 24]);
  assert.deepEqual([missed(1000, 1), missed(2000, 1), missed(100, 60)], [0, 1, 5]);
  assert.equal(missedTicks(Infinity, START, 25), 0, "the first picture");
});
