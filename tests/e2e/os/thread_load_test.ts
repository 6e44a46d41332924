import assert from "node:assert/strict";
import { busiestThread, threadTimes } from "../../../lib/machine/os/thread_load.ts";

Deno.test("thread load: the kernel's times of this process, and of none that is gone", () => {
  const before = threadTimes(Deno.pid);
  const start = performance.now();
  while (performance.now() - start < 60);
  const busy = busiestThread(before, threadTimes(Deno.pid), 60);
  assert.ok(busy > 0.5, `${busy}`);
  assert.equal(threadTimes(2 ** 30).size, 0);
});
