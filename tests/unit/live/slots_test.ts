import assert from "node:assert/strict";
import { type Slot, Slots } from "../../../lib/live/slots.ts";
import { streamId } from "../../../lib/model/id.ts";

const [A, B] = ["a", "b"].map(streamId);

Deno.test("a number whose check fails is nobody's, and is checked anew", async () => {
  let fails = true;
  const asked: number[] = [];
  const slots = new Slots({ display: 100 }, ({ display }: Slot) => {
    asked.push(display);
    return fails ? Promise.reject(new Error("no /proc")) : Promise.resolve(display !== 101);
  });
  await assert.rejects(slots.take(A), /no \/proc/);
  fails = false;
  assert.deepEqual([await slots.take(A), await slots.take(B)], [{ display: 102 }, { display: 103 }]);
  assert.deepEqual(asked, [101, 101, 102, 101, 103]);
  assert.deepEqual(await slots.take(A), { display: 102 });
});
