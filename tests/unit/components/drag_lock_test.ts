import { strict as assert } from "node:assert";
import { DragLock } from "../../../components/board/dragLock.ts";

Deno.test("changes of a held list wait for its release and keep their order", () => {
  const hold = new DragLock();
  const made: string[] = [];
  const change = (name: string) => hold.whenFree(() => made.push(name));
  change("at once");
  hold.set(true);
  change("first");
  change("second");
  assert.deepEqual([hold.isHeld, ...made], [true, "at once"]);
  hold.set(false);
  assert.deepEqual([hold.isHeld, ...made], [false, "at once", "first", "second"]);
  hold.set(false);
  assert.equal(made.length, 3);
});

Deno.test("a change that holds the list again keeps the rest waiting", () => {
  const hold = new DragLock();
  const made: string[] = [];
  hold.set(true);
  hold.whenFree(() => hold.set(true));
  hold.whenFree(() => made.push("later"));
  hold.set(false);
  assert.deepEqual(made, []);
  hold.set(false);
  assert.deepEqual(made, ["later"]);
});
