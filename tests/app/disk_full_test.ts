/** A full disk, which is a small file system of its own: it needs root, and the right to mount. */
import { strict as assert } from "node:assert";
import { join } from "node:path";
import { spaceAt } from "../../lib/machine/os/disk.ts";
import { type TestApp, testApp } from "../support/app.ts";
import { isThere, tempDir } from "../support/fixture.ts";
import { canMount, fillDisk, mustRun } from "../support/mounts.ts";

const MIB = 1024 * 1024;

/** A test with an app whose data are on a disk of 12 MiB. */
function diskTest(name: string, test: (app: TestApp, filler: string) => Promise<void>): void {
  Deno.test(name, async (context) => {
    if (!canMount()) return void console.log(`not tested without the right to mount: ${context.name}`);
    await using dir = await tempDir("/dev/shm"); // a short path: sockets have to fit
    await mustRun(["/usr/bin/mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", dir.path]);
    try {
      await using app = await testApp({ dir: dir.path });
      app.machine.space = spaceAt;
      await test(app, join(dir.path, "filler"));
    } finally {
      await mustRun(["/usr/bin/umount", dir.path]);
    }
  });
}

diskTest(
  "on a full disk the list is still written, by what was in reserve, and people are told",
  async (app, filler) => {
    await app.create({ desiredState: "stopped" });
    await app.service.disk.round();
    assert.equal((await Deno.stat(app.paths.reserveFile)).size, 4 * MIB);
    await fillDisk(filler);
    assert.ok((await spaceAt(app.dir)).freeBytes < 64 * 1024);
    assert.equal((await app.api("PATCH", "/api/streams/clock", { name: "Wall" })).status, 200);
    assert.equal(await isThere(app.paths.reserveFile), false);
    assert.match(await Deno.readTextFile(app.paths.streamsFile), /"Wall"/);
    await fillDisk(filler);
    await app.service.disk.round();
    assert.match(
      (await app.api("GET", "/healthz")).json.reasons[0],
      /^The disk of DATA_DIR is nearly full: 0 MB of 13 MB/,
    );
    assert.equal(await isThere(app.paths.reserveFile), false, "no room is taken where there is none");
    await Deno.remove(filler);
    await app.service.disk.round();
    assert.ok(await isThere(app.paths.reserveFile));
  },
);

diskTest("without a reserve a write is refused and says why, and nothing is lost", async (app, filler) => {
  await app.create({ desiredState: "stopped" });
  const before = await Deno.readTextFile(app.paths.streamsFile);
  await fillDisk(filler);
  const { status, json } = await app.api("PATCH", "/api/streams/clock", { name: "Wall" });
  assert.deepEqual([status, json.error.message], [
    507,
    "The service's disk is full, so nothing was changed. Make room on it, then try again.",
  ]);
  assert.equal(await Deno.readTextFile(app.paths.streamsFile), before);
  assert.equal((await app.api("GET", "/api/streams/clock")).json.name, "Clock");
  const names = await Array.fromAsync(Deno.readDir(app.paths.streamsDir), ({ name }) => name);
  assert.deepEqual(names.filter((name) => name.endsWith(".tmp")), []);
  await Deno.remove(filler);
  assert.equal((await app.api("PATCH", "/api/streams/clock", { name: "Wall" })).status, 200);
});

diskTest(
  "events and heartbeats outlast a full disk in memory, and are stored when there is room",
  async (app, filler) => {
    await app.create({ desiredState: "stopped" });
    await fillDisk(filler);
    const { id } = app.service.streams.get("clock", "admin") as {
      id: Parameters<typeof app.service.events.add>[0];
    };
    app.service.events.add(id, "page", "Opened.");
    await app.service.events.stop();
    await app.service.heartbeats.stop();
    assert.equal((await app.api("GET", "/api/streams/clock/events")).json.events.at(-1).text, "Opened.");
    await Deno.remove(filler);
    await app.service.events.stop();
    const stored = await Deno.readTextFile(join(app.paths.streamsDir, "clock", "events.jsonl"));
    assert.deepEqual(stored.trim().split("\n").map((line) => JSON.parse(line).text), ["Created.", "Opened."]);
  },
);
