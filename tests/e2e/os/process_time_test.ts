import assert from "node:assert/strict";
import { parseTimes, processorTimes } from "../../../lib/machine/os/process_time.ts";

Deno.test("a process's name does not lie about its times", () => {
  const fields = "S 12 1 1 0 -1 4194304 100 200 0 0 30 7 5 8 20 0 1 0 100 0 0";
  assert.deepEqual(parseTimes(`77 (sh) ${fields}`), { parent: 12, ticks: 50 });
  assert.deepEqual(parseTimes(`77 (a) S 1 (b) ${fields}`), { parent: 12, ticks: 50 });
  for (const odd of ["", "77", "77 (sh) "]) assert.equal(parseTimes(odd), null);
});

Deno.test("what a process has started counts with it, also when it has ended", async () => {
  // a shell whose child works for about 0.2 s, and is waited for
  const script = "python3 -c 'import time\nwhile time.process_time() < 0.2: pass'; echo done; cat";
  const child = new Deno.Command("/bin/sh", { args: ["-c", script], stdin: "piped", stdout: "piped" })
    .spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  const times = await processorTimes([child.pid, 0x7fffffff]);
  assert.ok(times.get(child.pid)! >= 190, `${times.get(child.pid)} ms`);
  assert.equal(times.get(0x7fffffff), undefined, "no such process");
  await child.stdin.close();
  await child.status;
  await reader.cancel();
});
