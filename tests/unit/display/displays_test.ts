import assert from "node:assert/strict";
import { Displays } from "../../../lib/display/displays.ts";

Deno.test("a display whose check fails is nobody's, and is checked anew", async () => {
  let fails = true;
  const asked: number[] = [];
  const displays = new Displays(100, (display) => {
    asked.push(display);
    return fails ? Promise.reject(new Error("no /proc")) : Promise.resolve(display !== 101);
  });
  await assert.rejects(displays.take(), /no \/proc/);
  fails = false;
  assert.deepEqual([await displays.take(), await displays.take()], [102, 103]);
  assert.deepEqual(asked, [101, 101, 102, 101, 103]);
  displays.free(102);
  assert.equal(await displays.take(), 102);
});

Deno.test("no display is given away before those of streams that run already are known", async () => {
  const displays = new Displays(100, () => Promise.resolve(true));
  const known = Promise.withResolvers<void>();
  displays.opensAfter(known.promise);
  const taken = displays.take();
  displays.adopt(101);
  known.reject(new Error("one cannot be read"));
  assert.equal(await taken, 102);
});

Deno.test("a display that another user took is given when there is no other", async () => {
  const displays = new Displays(100, (display) => Promise.resolve(display < 103));
  displays.avoid(101);
  assert.deepEqual([await displays.take(), await displays.take()], [102, 101]);
});
