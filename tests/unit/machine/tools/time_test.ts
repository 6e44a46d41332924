import assert from "node:assert/strict";
import {
  happensWithin,
  Loop,
  sleep,
  untilRound,
  waitingUntil,
  withTimeout,
} from "../../../../lib/machine/tools/time.ts";
import { FakeClock } from "../../../support/fake_clock.ts";
import { logged } from "../../../support/logged.ts";

const never = new Promise<never>(() => {});

Deno.test("a sleep lasts its time, or until it is aborted", async () => {
  using clock = new FakeClock();
  let isOver = false;
  const short = sleep(30).then(() => isOver = true);
  await clock.advance(29);
  assert.equal(isOver, false);
  await clock.advance(1);
  await short;
  const end = new AbortController();
  const long = sleep(60_000, end.signal);
  end.abort();
  await long;
  await sleep(60_000, end.signal);
});

Deno.test("work within its limit gives what it gives, and throws what it throws", async () => {
  assert.equal(await withTimeout(60_000, Promise.resolve(1)), 1);
  await assert.rejects(withTimeout(60_000, Promise.reject(new Error("its own"))), /its own/);
});

Deno.test("work that takes longer than its limit is an error that says so, also if it fails later", async () => {
  using clock = new FakeClock();
  const { promise, reject } = Promise.withResolvers<void>();
  const rejected = assert.rejects(withTimeout(5, promise, "no answer for 5 ms"), /no answer for 5 ms/);
  await clock.advance(5);
  await rejected;
  reject(new Error("late"));
  await clock.advance(1);
});

Deno.test("an event happens in time or does not", async () => {
  assert.equal(await happensWithin(60_000, Promise.resolve()), true);
  assert.equal(await happensWithin(60_000, Promise.reject(new Error("no event"))), false);
  using clock = new FakeClock();
  const happens = happensWithin(5, never);
  await clock.advance(5);
  assert.equal(await happens, false);
});

Deno.test("a loop goes on after a round that fails, and logs that", async () => {
  const lines = await logged(async () => {
    const loop = new Loop("round failed", "error");
    const third = Promise.withResolvers<void>();
    let rounds = 0;
    loop.start(1, () => {
      if (++rounds === 1) throw new Error("at once");
      if (rounds === 2) return Promise.reject(new Error("later"));
      third.resolve();
    });
    await third.promise;
    await loop.stop();
  });
  const entries = lines.map((line) => JSON.parse(line));
  assert.deepEqual(entries.map(({ level, message, error }) => [level, message, error]), [
    ["error", "round failed", "at once"],
    ["error", "round failed", "later"],
  ]);
});

Deno.test("a loop asks for each pause; who wakes it has a round at once, also during a round", async () => {
  const loop = new Loop("round failed");
  const pauses = [1, 1, 60_000, 60_000, 60_000];
  const rounds: number[] = [];
  const under = [0, 1, 2, 3, 4, 5].map(() => Promise.withResolvers<void>());
  loop.start(() => pauses[rounds.length - 1], () => {
    if (rounds.push(rounds.length) === 4) loop.wake();
    under[rounds.length].resolve();
  });
  await under[3].promise;
  assert.equal(rounds.length, 3, "it pauses");
  loop.wake();
  await under[5].promise;
  await loop.stop();
  assert.equal(rounds.length, 5);
});

Deno.test("waits end with their work, or with the signal", async () => {
  const over = new AbortController();
  const untilOver = waitingUntil(over.signal);
  assert.equal(await untilOver(Promise.resolve(7)), 7);
  await assert.rejects(untilOver(Promise.reject(new Error("broken"))), /broken/);
  const waits = [untilOver(never), untilOver(never)];
  over.abort();
  for (const wait of waits) await assert.rejects(wait, /it is over/);
  await assert.rejects(untilOver(never), /it is over/, "whoever comes later");
  await assert.rejects(untilOver(Promise.reject(new Error("nobody hears of it"))), /it is over/);
});

Deno.test("a wait that is over is not kept: as many as an encoder's pictures of hours", async () => {
  const WAITS = 300_000;
  const MAX_BYTES = 60 * 1024 * 1024; // a race with a promise that lasts keeps 100 MiB of them; some is not collected yet
  const untilOver = waitingUntil(new AbortController().signal);
  const work = async () => await null;
  await untilOver(work());
  const before = Deno.memoryUsage().heapUsed;
  for (let count = 0; count < WAITS; count++) await untilOver(work());
  const grown = Deno.memoryUsage().heapUsed - before;
  assert.ok(grown < MAX_BYTES, `${(grown / 1024 / 1024).toFixed(0)} MiB more`);
});

Deno.test("rounds a second or more apart begin together, whenever their loops began", () => {
  const begins = [5000, 5002, 5300, 5499].map((now) => now + untilRound(1000, now));
  assert.deepEqual(begins, [6000, 6000, 6000, 6000]);
  assert.equal(5700 + untilRound(1000, 5700), 7000, "at least half a second later");
  assert.equal(5300 + untilRound(60_000, 5300), 65_000);
  assert.deepEqual([0, 20, 1500].map((pauseMs) => untilRound(pauseMs, 5300)), [0, 20, 1500]);
});
