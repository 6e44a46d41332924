import assert from "node:assert/strict";
import { newXauthority } from "../../../lib/display/xauth.ts";

Deno.test("an Xauthority file for any host and display, with a new cookie each time", () => {
  const [one, two] = [newXauthority(), newXauthority()];
  assert.deepEqual([...one.subarray(0, 8)], [0xff, 0xff, 0, 0, 0, 0, 0, 18]);
  assert.equal(new TextDecoder().decode(one.subarray(8, 26)), "MIT-MAGIC-COOKIE-1");
  assert.deepEqual([...one.subarray(26, 28)], [0, 16]);
  assert.equal(one.length, 44);
  assert.notDeepEqual(one.subarray(28), two.subarray(28));
});
