import { strict as assert } from "node:assert";
import { DragLock } from "../../../components/board/order/dragLock.ts";

Deno.test("changes of a locked list wait until it is unlocked and keep their order", () => {
  const lock = new DragLock();
  const made: string[] = [];
  const change = (name: string) => lock.whenUnlocked(() => made.push(name));
  change("at once");
  lock.set(true);
  change("first");
  change("second");
  assert.deepEqual([lock.isLocked, ...made], [true, "at once"]);
  lock.set(false);
  assert.deepEqual([lock.isLocked, ...made], [false, "at once", "first", "second"]);
  lock.set(false);
  assert.equal(made.length, 3);
});

Deno.test("a change that locks the list again keeps the rest waiting", () => {
  const lock = new DragLock();
  const made: string[] = [];
  lock.set(true);
  lock.whenUnlocked(() => lock.set(true));
  lock.whenUnlocked(() => made.push("later"));
  lock.set(false);
  assert.deepEqual(made, []);
  lock.set(false);
  assert.deepEqual(made, ["later"]);
});
