import assert from "node:assert/strict";
import { DiskWatch, spaceProblem } from "../../../lib/fleet/disk_watch.ts";
import type { Space } from "../../../lib/machine/os/disk.ts";
import { setLogLevel } from "../../../lib/machine/tools/log.ts";
import { DEFAULT_TIMINGS as limits } from "../../../lib/timings.ts";

setLogLevel("error");

const GB = 1e9, MB = 1e6;
const space = (totalBytes: number, freeBytes: number, files: Partial<Space> = {}): Space => {
  return { totalBytes, freeBytes, totalFiles: 0, freeFiles: 0, ...files };
};

Deno.test("little room is less than 500 MB and less than a tenth", () => {
  const cases: [Space, boolean][] = [
    [space(1000 * GB, 600 * MB), false],
    [space(1000 * GB, 499 * MB), true],
    [space(2 * GB, 300 * MB), false],
    [space(2 * GB, 199 * MB), true],
    [space(64 * MB, 7 * MB), false],
    [space(64 * MB, 6 * MB), true],
    [space(1000 * GB, 600 * GB, { totalFiles: 1e6, freeFiles: 9000 }), true],
    [space(1000 * GB, 600 * GB, { totalFiles: 1e6, freeFiles: 20_000 }), false],
  ];
  for (const [given, isLow] of cases) {
    assert.equal(spaceProblem("DATA_DIR", given, limits) !== null, isLow, JSON.stringify(given));
  }
});

Deno.test("the problem says which disk, how much is left, and what to do", () => {
  assert.match(
    spaceProblem("RUN_DIR", space(64 * MB, 5 * MB), limits)!,
    /^The disk of RUN_DIR is nearly full: 5 MB of 64 MB are free\. .*shm-size/,
  );
  const files = space(GB, GB, { totalFiles: 1000, freeFiles: 3 });
  assert.match(spaceProblem("DATA_DIR", files, limits)!, /3 more files fit\. .*Delete/);
});

Deno.test("a disk is low until it has room again; the reserve is made only with room", async () => {
  let free = 2 * GB, kept = 0;
  const watch = new DiskWatch({
    folders: [{ name: "DATA_DIR", path: "/data" }, { name: "RUN_DIR", path: "/run" }],
    space: (path) =>
      path === "/run" ? Promise.reject(new Error("gone")) : Promise.resolve(space(10 * GB, free)),
    reserve: { keep: () => Promise.resolve(void kept++) },
    limits,
  });
  await watch.round();
  assert.deepEqual([watch.problems().length, kept], [0, 1]);
  free = 10 * MB;
  await watch.round();
  assert.deepEqual([watch.problems().length, kept], [1, 1]);
  free = 2 * GB;
  await watch.round();
  assert.deepEqual([watch.problems().length, kept], [0, 2]);
});
