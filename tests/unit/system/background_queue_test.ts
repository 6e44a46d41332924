import assert from "node:assert/strict";
import { Stagger } from "../../../lib/streams/stagger.ts";

/** Work that ends when it is told to. */
function gate() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve, fail: reject };
}

const turn = () => new Promise<void>((done) => setTimeout(done));

Deno.test("only so much is under way at once, in the order it was asked for", async () => {
  const stagger = new Stagger(2);
  const gates = Array.from({ length: 5 }, gate);
  const begun: number[] = [];
  const all = gates.map(({ work }, at) => stagger.run(() => (begun.push(at), work())));
  await turn();
  assert.deepEqual(begun, [0, 1]);
  gates[1].end();
  await turn();
  assert.deepEqual(begun, [0, 1, 2]);
  gates[0].end();
  gates[2].end();
  await turn();
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
  gates[3].end();
  gates[4].end();
  await Promise.all(all);
  const last = gate();
  last.end();
  await stagger.run(last.work); // the places are free again
});

Deno.test("work that fails is told to who asked, and holds nobody up", async () => {
  const stagger = new Stagger(1);
  const failing = stagger.run(() => Promise.reject(new RangeError("no")));
  const next = stagger.run(() => Promise.resolve());
  await assert.rejects(failing, RangeError);
  await next;
  await stagger.settled();
});

Deno.test("after the end nothing begins; what is under way is waited for", async () => {
  const stagger = new Stagger(1);
  const first = gate();
  const begun: string[] = [];
  stagger.run(() => (begun.push("first"), first.work()));
  const waiting = ["second", "third"].map((name) =>
    stagger.run(() => {
      begun.push(name);
      return Promise.resolve();
    })
  );
  await turn();
  stagger.end();
  let isSettled = false;
  const settled = stagger.settled().then(() => isSettled = true);
  await turn();
  assert.equal(isSettled, false);
  first.end();
  await settled;
  await Promise.all(waiting);
  await stagger.run(() => Promise.reject(new Error("begun")));
  assert.deepEqual(begun, ["first"]);
});
