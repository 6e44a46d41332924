import { strict as assert } from "node:assert";
import {
  groupFiles,
  machineLoad,
  memoryWithin,
  parseMemory,
} from "../../../../lib/machine/os/machine_load.ts";

const GIB = 1024 ** 3;
const INFO = "MemTotal:        8388608 kB\nMemFree:          100000 kB\nMemAvailable:    4194304 kB\n";

Deno.test("the machine's memory is what the kernel has, and calls available", () => {
  assert.deepEqual(parseMemory(INFO), { totalBytes: 8 * GIB, availableBytes: 4 * GIB });
});

Deno.test("a container's memory is what its limit leaves", () => {
  const machine = parseMemory(INFO);
  const isBetween = (...groups: [limit: number, used: number][]) => {
    const { totalBytes, availableBytes } = memoryWithin(
      machine,
      groups.map(([limit, used]) => ({ limitBytes: limit * GIB, usedBytes: used * GIB })),
    );
    return [totalBytes / GIB, availableBytes / GIB];
  };
  assert.deepEqual(isBetween(), [8, 4]);
  assert.deepEqual(isBetween([2, 1.5]), [2, 0.5]);
  assert.deepEqual(isBetween([6, 1]), [6, 4], "others have the rest");
  assert.deepEqual(isBetween([8192, 1]), [8, 4], "what limits nothing");
  assert.deepEqual(isBetween([2, 2.1]), [2, 0]);
  assert.deepEqual(isBetween([4, 3], [2, 0.5]), [2, 1]);
});

Deno.test("the limits are read of the own group and of all above it, of either version", () => {
  const limits = (own: string) => groupFiles(own, "/cg").map(({ limit }) => limit);
  assert.deepEqual(limits("0::/\n"), ["/cg/memory.max"]);
  assert.deepEqual(limits("0::/system.slice/tv.service\n"), [
    "/cg/system.slice/memory.max",
    "/cg/system.slice/tv.service/memory.max",
    "/cg/memory.max",
  ]);
  assert.deepEqual(limits("12:cpu:/x\n9:memory:/docker/1\n"), [
    "/cg/memory/docker/memory.limit_in_bytes",
    "/cg/memory/docker/1/memory.limit_in_bytes",
    "/cg/memory/memory.limit_in_bytes",
  ]);
  assert.deepEqual(limits(""), []);
});

Deno.test("this very machine has cores, a load and memory", async () => {
  const { cores, load, memory } = await machineLoad();
  assert.ok(cores >= 1 && load.length === 3 && load.every((one) => one >= 0));
  const { totalBytes, availableBytes } = memory;
  assert.ok(totalBytes > 0.1 * GIB && availableBytes > 0 && availableBytes < totalBytes);
});
