import assert from "node:assert/strict";
import { KeyedQueue, NotBegunError, WorkQueue } from "../../../../lib/machine/tools/concurrency.ts";

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
  const [queue, events] = [new WorkQueue(), [] as string[]];
  const [first, second] = [work("first", events), work("second", events)];
  const results = [queue.run(first.run), queue.run(second.run)];
  first.fail();
  second.end();
  await assert.rejects(results[0], /first/);
  assert.equal(await results[1], "second");
});

Deno.test("a queue is busy until its last work is done", async () => {
  const queue = new WorkQueue();
  assert.equal(queue.isBusy, false);
  const [one, two] = [work("one", []), work("two", [])];
  const first = queue.run(one.run);
  queue.run(two.run);
  one.end();
  await first;
  assert.equal(queue.isBusy, true);
  two.end();
  await queue.settled();
  assert.equal(queue.isBusy, false);
});

Deno.test("equal work that waits is done once, unless other work stands between", async () => {
  const [queue, events] = [new WorkQueue(), [] as string[]];
  const works = ["restart", "restart", "restart", "stop", "restart"].map((kind) => {
    const one = work(kind, events);
    one.end();
    return queue.run(one.run, { kind });
  });
  await Promise.all(works);
  assert.deepEqual(events.filter((event) => event.endsWith("starts")), [
    "restart starts",
    "stop starts",
    "restart starts",
  ]);
});

Deno.test("work under way does not do for work that is asked for then", async () => {
  const [queue, events] = [new WorkQueue(), [] as string[]];
  const [first, second] = [work("first", events), work("second", events)];
  const begun = queue.run(first.run, { kind: "restart" });
  await Promise.resolve();
  assert.deepEqual(events, ["first starts"]);
  const later = queue.run(second.run, { kind: "restart" });
  first.end();
  second.end();
  assert.deepEqual(await Promise.all([begun, later]), ["first", "second"]);
});

Deno.test("work that everybody has left is not begun; one who stays is enough", async () => {
  const [queue, events] = [new WorkQueue(), [] as string[]];
  const [busy, left, kept] = ["busy", "left", "kept"].map((name) => work(name, events));
  const [leaver, other] = [new AbortController(), new AbortController()];
  const results = [
    queue.run(busy.run),
    queue.run(left.run, { kind: "restart", client: leaver }),
    queue.run(kept.run, { kind: "start", client: leaver }),
    queue.run(kept.run, { kind: "start", client: other }),
  ];
  leaver.abort();
  busy.end();
  kept.end();
  await assert.rejects(results[1], NotBegunError);
  assert.deepEqual(await Promise.all([results[0], results[2], results[3]]), ["busy", "kept", "kept"]);
  assert.ok(!events.includes("left starts"));
});

Deno.test("no more than so much waits", async () => {
  const queue = new WorkQueue();
  const idle = () => Promise.resolve();
  const busy = work("busy", []);
  const done = queue.run(busy.run);
  await Promise.resolve();
  const waiting = [1, 2].map(() => queue.run(idle, { most: 2 }));
  await assert.rejects(queue.run(idle, { most: 2 }), NotBegunError);
  waiting.push(queue.run(idle));
  busy.end();
  await Promise.all([done, ...waiting]);
  await queue.run(idle, { most: 2 });
});
