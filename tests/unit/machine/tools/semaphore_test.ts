import assert from "node:assert/strict";
import { Semaphore } from "../../../../lib/machine/tools/concurrency.ts";

Deno.test("only so many go on at once, the others in the order they came", async () => {
  const semaphore = new Semaphore(2);
  const begun: number[] = [];
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const works = gates.map(({ promise }, at) =>
    semaphore.run(() => {
      begun.push(at);
      return promise;
    })
  );
  assert.deepEqual([begun, semaphore.free], [[0, 1], 0]);
  gates[1].resolve(11);
  assert.equal(await works[1], 11);
  assert.deepEqual(begun, [0, 1, 2]);
  gates[0].reject(new Error("failed"));
  await assert.rejects(works[0], /failed/);
  assert.deepEqual([begun, semaphore.free], [[0, 1, 2, 3], 0]);
  for (const { resolve } of gates) resolve(0);
  await Promise.all(works.slice(1));
  assert.deepEqual([begun, semaphore.free], [[0, 1, 2, 3, 4], 2]);
});
