import assert from "node:assert/strict";
import { sleep } from "../../../lib/system/time.ts";

Deno.test("a sleep takes its time", async () => {
  const from = performance.now();
  await sleep(50);
  assert.ok(performance.now() - from >= 45);
});

Deno.test("a sleep ends with its signal, without a timer left", async () => {
  const stop = new AbortController();
  const sleeping = sleep(60_000, stop.signal);
  stop.abort();
  await sleeping;
  await sleep(60_000, stop.signal);
});
