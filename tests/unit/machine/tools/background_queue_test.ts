import assert from "node:assert/strict";
import { BackgroundQueue } from "../../../../lib/machine/tools/concurrency.ts";

/** Work that ends when it is told to. */
function gate() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve, fail: reject };
}

const nextTask = () => new Promise<void>((done) => setTimeout(done));

Deno.test("only so much is under way at once, in the order it was asked for", async () => {
  const queue = new BackgroundQueue(2);
  const gates = Array.from({ length: 5 }, gate);
  const started: number[] = [];
  const all = gates.map(({ work }, at) => queue.run(() => (started.push(at), work())));
  await nextTask();
  assert.deepEqual(started, [0, 1]);
  gates[1].end();
  await nextTask();
  assert.deepEqual(started, [0, 1, 2]);
  gates[0].end();
  gates[2].end();
  await nextTask();
  assert.deepEqual(started, [0, 1, 2, 3, 4]);
  gates[3].end();
  gates[4].end();
  await Promise.all(all);
  const last = gate();
  last.end();
  await queue.run(last.work); // the slots are free again
});

Deno.test("work that fails is told to who asked, and holds nobody up", async () => {
  const queue = new BackgroundQueue(1);
  const failing = queue.run(() => Promise.reject(new RangeError("no")));
  const next = queue.run(() => Promise.resolve());
  await assert.rejects(failing, RangeError);
  await next;
  await queue.settled();
});

Deno.test("after the end nothing begins; what is under way is waited for", async () => {
  const queue = new BackgroundQueue(1);
  const first = gate();
  const started: string[] = [];
  queue.run(() => (started.push("first"), first.work()));
  const waiting = ["second", "third"].map((name) =>
    queue.run(() => {
      started.push(name);
      return Promise.resolve();
    })
  );
  await nextTask();
  queue.stop();
  let isSettled = false;
  const settled = queue.settled().then(() => isSettled = true);
  await nextTask();
  assert.equal(isSettled, false);
  first.end();
  await settled;
  await Promise.all(waiting);
  await queue.run(() => Promise.reject(new Error("started")));
  assert.deepEqual(started, ["first"]);
});
