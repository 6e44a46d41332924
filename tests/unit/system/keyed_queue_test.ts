import assert from "node:assert/strict";
import { KeyedQueue } from "../../../lib/system/concurrency.ts";

/** Work that starts, and ends when told. */
function work(name: string, events: string[]) {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const run = async () => {
    events.push(`${name} starts`);
    try {
      return await promise;
    } finally {
      events.push(`${name} ends`);
    }
  };
  return { run, end: () => resolve(name), fail: () => reject(new Error(name)) };
}

Deno.test("same key: one after the other; different keys: side by side", async () => {
  const [queue, events] = [new KeyedQueue(), [] as string[]];
  const [a1, a2, b] = ["a1", "a2", "b"].map((name) => work(name, events));
  const results = [queue.run("a", a1.run), queue.run("a", a2.run), queue.run("b", b.run)];
  b.end();
  await results[2];
  assert.deepEqual(events, ["a1 starts", "b starts", "b ends"]);
  a2.end();
  a1.end();
  assert.deepEqual(await Promise.all(results), ["a1", "a2", "b"]);
  assert.deepEqual(events.slice(3), ["a1 ends", "a2 starts", "a2 ends"]);
});

Deno.test("failed work is told to its caller alone", async () => {
  const [queue, events] = [new KeyedQueue(), [] as string[]];
  const [first, second] = [work("first", events), work("second", events)];
  const results = [queue.run("a", first.run), queue.run("a", second.run)];
  first.fail();
  second.end();
  await assert.rejects(results[0], /first/);
  assert.equal(await results[1], "second");
});

Deno.test("a key is busy until its last work is done, and is then forgotten", async () => {
  const queue = new KeyedQueue();
  assert.equal(queue.isBusy("a"), false);
  const [one, two] = [work("one", []), work("two", [])];
  const first = queue.run("a", one.run);
  queue.run("a", two.run);
  one.end();
  await first;
  assert.deepEqual([queue.isBusy("a"), queue.isBusy("b")], [true, false]);
  two.end();
  await queue.settled();
  assert.equal(queue.isBusy("a"), false);
});
