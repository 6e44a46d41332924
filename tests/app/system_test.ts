/** How the service and its machine are, and the first page's footer. */
import { strict as assert } from "node:assert";
import { VERSION } from "../../lib/machine/tools/version.ts";
import { appTest } from "../support/app.ts";

appTest("the system's figures are the machine's, with those of /api/figures", async (app) => {
  await app.create({ desiredState: "stopped" });
  app.machine.space = (path) =>
    Promise.resolve({
      totalBytes: 5e11,
      freeBytes: path === app.paths.runDir ? 1e9 : 4e11,
      totalFiles: 0,
      freeFiles: 0,
    });
  await app.service.disk.round();
  app.machine.advance(90_000);
  const { json: { uptimeSeconds, ...others }, headers } = await app.api("GET", "/api/system");
  assert.ok(uptimeSeconds >= 90 && uptimeSeconds < 100, `${uptimeSeconds} s`);
  assert.deepEqual(others, {
    version: VERSION,
    cores: 2,
    load: [0.42, 0.5, 0.61],
    memory: { totalBytes: 8.2e9, availableBytes: 5.1e9 },
    disks: [
      { folder: "DATA_DIR", totalBytes: 5e11, freeBytes: 4e11 },
      { folder: "RUN_DIR", totalBytes: 5e11, freeBytes: 1e9 },
    ],
    noRoom: null,
    cost: { cpuPercent: null, mebibytes: null },
    openIncidents: 0,
    streams: (await app.api("GET", "/api/figures")).json,
  });
  assert.deepEqual(others.streams, {
    clock: { viewers: 0, fps: null, push: null, cpuPercent: null, mebibytes: null },
  });
  assert.equal(headers.get("cache-control"), "no-store");
});

appTest("boards that ask within a second have one answer, which is looked at once", async (app) => {
  let looks = 0;
  const { load } = app.machine;
  app.machine.load = () => {
    looks++;
    return load();
  };
  const ask = async () => (await app.api("GET", "/api/system")).json;
  const [one, ...others] = await Promise.all([ask(), ask(), ask()]);
  for (const other of others) assert.deepEqual(other, one);
  assert.equal(looks, 1);
  await app.create({ desiredState: "stopped" });
  app.machine.advance(1000);
  assert.deepEqual([Object.keys((await ask()).streams), looks], [["clock"], 2]);
});

appTest(
  "while the supervisor does not answer, the system's figures are those of the machine",
  async (app) => {
    await app.create({ desiredState: "stopped" });
    app.machine.programs = () => Promise.reject(new Error("connect ENOENT"));
    app.machine.advance(3000); // the status cache
    const { status, json } = await app.api("GET", "/api/system");
    assert.equal(status, 200);
    assert.deepEqual([json.cores, json.streams, json.cost], [2, {}, { cpuPercent: null, mebibytes: null }]);
  },
);

appTest(
  "the first page says how the machine is, without JavaScript and without measuring anything",
  async (app) => {
    app.machine.memory = () => Promise.reject(new Error("measured"));
    await app.service.disk.round();
    const footer = async () => {
      const html = await (await app.fetch("/")).text();
      const [, text] = /<footer class="machine">(.*?)<\/footer>/s.exec(html)!;
      return text.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ").trim();
    };
    const machine =
      `Version ${VERSION} Up for 0 min Load 0.42 Memory 3.1 of 8.2 GB Disk 500 GB of 1.0 TB free`;
    assert.equal(await footer(), machine);
    await app.create({ desiredState: "stopped" });
    assert.equal(await footer(), `${machine} All streams –`);
  },
);
