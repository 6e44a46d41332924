import assert from "node:assert/strict";
import { memoryOfTrees } from "../../../lib/machine/os/process_memory.ts";

const MIB = 1024 * 1024;

Deno.test("a process counts with what it has started, and with nobody else's", async () => {
  // a shell whose child has 60 MiB of its own
  const script =
    'python3 -c \'x = bytearray(b"a") * (60 << 20); print(1, flush=True); __import__("sys").stdin.read()\'; exit 0';
  const child = new Deno.Command("/bin/sh", { args: ["-c", script], stdin: "piped", stdout: "piped" })
    .spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  const used = await memoryOfTrees([child.pid, Deno.pid, 0x7fffffff]);
  assert.ok(used.get(child.pid)! > 60 * MIB && used.get(child.pid)! < 90 * MIB, `${used.get(child.pid)}`);
  assert.ok(used.get(Deno.pid)! > used.get(child.pid)!, "the child is below us, too");
  assert.equal(used.get(0x7fffffff), 0, "no such process");
  await child.stdin.close();
  await child.status;
  await reader.cancel();
});
