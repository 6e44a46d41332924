import { strict as assert } from "node:assert";
import {
  coresText,
  diskText,
  memoryText,
  totalText,
  uptimeText,
} from "../../../../lib/model/answers/system.ts";

Deno.test("footer: sizes have three digits at most", () => {
  assert.equal(memoryText({ totalBytes: 8.34e9, availableBytes: 5.2e9 }), "3.1 of 8.3 GB");
  assert.equal(memoryText({ totalBytes: 64.2e9, availableBytes: 10.1e9 }), "54 of 64 GB");
  assert.equal(memoryText({ totalBytes: 9.96e9, availableBytes: 0.02e9 }), "9.9 of 10 GB");
  assert.equal(diskText({ folder: "DATA_DIR", totalBytes: 1e12, freeBytes: 5e11 }), "500 GB of 1.0 TB free");
  assert.equal(
    diskText({ folder: "DATA_DIR", totalBytes: 499.9e9, freeBytes: 0.04e9 }),
    "0.0 of 500 GB free",
  );
});

Deno.test("footer: what all streams take is of all cores, and nothing while it is not measured", () => {
  assert.equal(totalText({ cpuPercent: 34, mebibytes: 410 }, 2), "0.34 of 2 cores, 0.4 GB");
  assert.equal(totalText({ cpuPercent: 162, mebibytes: 9216 }, 1), "1.62 of 1 core, 9.7 GB");
  assert.equal(totalText({ cpuPercent: null, mebibytes: 410 }, 2), "0.4 GB");
  assert.equal(totalText({ cpuPercent: null, mebibytes: null }, 2), "");
  assert.equal(coresText(64), "64 cores");
});

Deno.test("footer: a time is in the unit that says most", () => {
  const texts = [0, 59, 60, 7199, 7200, 172_799, 172_800, 31_536_000].map(uptimeText);
  assert.deepEqual(texts, ["0 min", "0 min", "1 min", "119 min", "2 h", "47 h", "2 days", "365 days"]);
});
