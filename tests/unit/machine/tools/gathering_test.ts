import assert from "node:assert/strict";
import { Gathering } from "../../../../lib/machine/tools/concurrency.ts";

/** Work that ends when told; what it was for. */
function gathering() {
  const calls: { items: string; end: () => void; fail: () => void }[] = [];
  const own = new Gathering<string>((items) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    calls.push({ items: items.join(), end: resolve, fail: () => reject(new Error("no room")) });
    return promise;
  });
  const run = (item: string) => own.run(item).then(() => item, (error) => `${item}: ${error.message}`);
  return { run, calls };
}

Deno.test("what is asked for during the work is done together afterwards; a failure is that of its items alone", async () => {
  const { run, calls } = gathering();
  const first = [run("a"), run("b")];
  await Promise.resolve();
  const others = [run("c"), run("d")];
  assert.deepEqual(calls.map(({ items }) => items), ["a,b"]);
  calls[0].fail();
  assert.deepEqual(await Promise.all(first), ["a: no room", "b: no room"]);
  await Promise.resolve();
  const last = run("e");
  calls[1].end();
  assert.deepEqual(await Promise.all(others), ["c", "d"]);
  await Promise.resolve();
  calls[2].end();
  assert.equal(await last, "e");
  assert.deepEqual(calls.map(({ items }) => items), ["a,b", "c,d", "e"]);
});
