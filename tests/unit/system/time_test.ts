import assert from "node:assert/strict";
import { happensWithin, sleep, withTimeout } from "../../../lib/system/time.ts";

const never = new Promise<never>(() => {});

Deno.test("a sleep lasts its time, or until it is aborted", async () => {
  const start = performance.now();
  await sleep(30);
  assert.ok(performance.now() - start >= 29);
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
  const { promise, reject } = Promise.withResolvers<void>();
  await assert.rejects(withTimeout(5, promise, "no answer for 5 ms"), /no answer for 5 ms/);
  reject(new Error("late"));
  await sleep(1);
});

Deno.test("an event happens in time or does not", async () => {
  assert.equal(await happensWithin(60_000, Promise.resolve()), true);
  assert.equal(await happensWithin(60_000, Promise.reject(new Error("no event"))), false);
  assert.equal(await happensWithin(5, never), false);
});
