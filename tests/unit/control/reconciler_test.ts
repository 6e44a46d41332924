import assert from "node:assert/strict";
import { join } from "node:path";
import { readSpec, specFile } from "../../../lib/pipeline/spec.ts";
import { ServiceError } from "../../../lib/errors.ts";
import { channelDir, seedSequence } from "../../../lib/media/hls.ts";
import { thumbFile } from "../../../lib/paths.ts";
import { writeThumbnail } from "../../../lib/control/thumbnail_files.ts";
import { programFile } from "../../../lib/supervisor/program_files.ts";
import { isThere, namesIn, tempDir } from "../../support/fixture.ts";
import { aService, url, withService } from "./service.ts";

withService(
  "a new stream is stored, described and started",
  async ({ lifecycle, fake, store, paths, tokens }) => {
    const { id } = await lifecycle.create({ name: "A", url, user: "u", autoReload: true });
    assert.deepEqual(store.list().map((stream) => stream.id), ["a"]);
    assert.deepEqual(fake.commands(), [
      "update stream-a autologin-a autoreload-a",
      "start stream-a:* autologin-a autoreload-a",
    ]);
    for (const kind of ["display", "wm", "browser", "encoder"]) {
      assert.equal(
        fake.state(`${kind}-${id}`),
        "RUNNING",
      );
    }
    assert.equal((await readSpec(paths.specsDir, id))?.startedAt, 1_000_000);
    assert.equal(lifecycle.startedAt(id), 1_000_000);
    assert.match(tokens.get(id)!, /^[0-9a-f]{32}$/);
  },
);

withService("with desiredState stopped it is only stored", async ({ lifecycle, fake, paths, tokens }) => {
  await lifecycle.create({ name: "A", url, desiredState: "stopped" });
  assert.deepEqual([fake.commands(), lifecycle.startedAt("a"), await namesIn(paths.specsDir)], [
    [],
    null,
    [],
  ]);
  assert.ok(tokens.get("a"));
});

withService("what is refused changes nothing", async ({ lifecycle, fake, store }) => {
  await assert.rejects(lifecycle.create({ name: "A", url: "file:///etc/passwd" }), ServiceError);
  assert.deepEqual([store.list(), fake.commands()], [[], []]);
  for (const action of ["start", "stop", "restart", "recreate", "remove"] as const) {
    await assert.rejects(
      lifecycle[action]("none"),
      (error) => error instanceof ServiceError && error.status === 404,
    );
  }
  await assert.rejects(lifecycle.update("none", { name: "B" }, true), /There is no stream "none"/);
  assert.deepEqual([store.list(), fake.commands()], [[], []]);
});

withService("ten streams of one name at once get ten ids and displays", async ({ lifecycle, store }) => {
  await Promise.all(Array.from({ length: 10 }, () => lifecycle.create({ name: "A", url })));
  assert.equal(new Set(store.list().map(({ id }) => id)).size, 10);
  const specs = store.list().map(({ id }) => lifecycle.spec(id)!);
  assert.equal(new Set(specs.map(({ display }) => display)).size, 10);
  assert.equal(new Set(specs.map(({ devtoolsPort }) => devtoolsPort)).size, 10);
});

withService("a double start is one start", async ({ lifecycle, fake, clock }) => {
  await lifecycle.create({ name: "A", url, autoReload: true, desiredState: "stopped" });
  await Promise.all([lifecycle.start("a"), lifecycle.start("a")]);
  clock.now += 60_000;
  await lifecycle.start("a");
  assert.deepEqual(fake.commands().filter((command) => command.startsWith("start")), [
    "start stream-a:* autoreload-a",
  ]);
  assert.equal(lifecycle.startedAt("a"), 1_000_000);
});

withService("a stop during a start waits for it and wins", async ({ lifecycle, fake, desired, paths }) => {
  await lifecycle.create({ name: "A", url, desiredState: "stopped" });
  const release = fake.hold();
  const work = [lifecycle.start("a"), lifecycle.stop("a")];
  assert.equal(lifecycle.isBusy("a"), true);
  release();
  await Promise.all(work);
  await lifecycle.settled();
  assert.deepEqual([desired("a"), fake.state("encoder-a"), lifecycle.isBusy("a")], [
    "stopped",
    "STOPPED",
    false,
  ]);
  assert.deepEqual([lifecycle.startedAt("a"), await namesIn(paths.specsDir)], [null, []]);
  assert.equal(fake.mostAtOnce(), 1);
});

withService("one stream's work never overlaps; the last wish holds", async ({ lifecycle, fake, desired }) => {
  await lifecycle.create({ name: "A", url });
  const update = (name: string) => lifecycle.update("a", { name }, true);
  await Promise.all([
    ...[lifecycle.stop("a"), lifecycle.start("a"), update("B"), lifecycle.restart("a"), lifecycle.stop("a")],
    ...[lifecycle.restartPrograms("a", ["encoder"]), lifecycle.start("a"), update("C")],
  ]);
  assert.equal(fake.mostAtOnce(), 1);
  assert.deepEqual([desired("a"), fake.state("encoder-a")], ["running", "RUNNING"]);
});

withService("different streams go side by side", async ({ lifecycle, fake }) => {
  for (const name of ["A", "B"]) await lifecycle.create({ name, url, desiredState: "stopped" });
  const release = fake.hold();
  const work = [lifecycle.start("a"), lifecycle.start("b")];
  while (fake.mostAtOnce() < 2) await new Promise((done) => setTimeout(done)); // hangs if they wait for each other
  release();
  await Promise.all(work);
});

withService("a stop takes spec, HLS files and socket away", async ({ lifecycle, fake, paths }) => {
  await lifecycle.create({ name: "A", url });
  await seedSequence(paths.hlsDir, "a");
  await Deno.writeTextFile(join(paths.vncDir, "a.sock"), "");
  fake.commands();
  await lifecycle.stop("a");
  assert.deepEqual(fake.commands(), ["stop stream-a:* autologin-a autoreload-a"]);
  for (
    const path of [
      channelDir(paths.hlsDir, "a"),
      join(paths.vncDir, "a.sock"),
      specFile(paths.specsDir, "a"),
    ]
  ) {
    assert.equal(await isThere(path), false, path);
  }
  assert.equal(await isThere(programFile({ ...paths, template: "", executable: [] }, "a")), true);
});

withService(
  "a deleted stream leaves nothing, and its neighbour everything",
  async ({ lifecycle, fake, paths, store, tokens }) => {
    const files = (id: string) => [
      join(paths.programsDir, `${id}.conf`),
      join(paths.profilesDir, id),
      join(paths.logsDir, id),
      channelDir(paths.hlsDir, id),
      specFile(paths.specsDir, id),
      thumbFile(paths.streamsDir, id),
    ];
    const ids = ["a", "a-2"];
    for (const id of ids) {
      await lifecycle.create({ name: "A", url });
      await Deno.mkdir(join(paths.profilesDir, id, "Default"), { recursive: true });
      await Deno.writeTextFile(join(paths.logsDir, id, "encoder.log"), "x");
      await seedSequence(paths.hlsDir, id);
      await writeThumbnail(paths.streamsDir, id, { bytes: new Uint8Array(1), takenAt: 1 });
    }
    const there = (id: string) => Promise.all(files(id).map(isThere));
    assert.deepEqual(await Promise.all(ids.map(there)), [Array(6).fill(true), Array(6).fill(true)]);
    fake.commands();
    await Promise.all([
      lifecycle.remove("a"),
      assert.rejects(lifecycle.update("a", { name: "B" }, true), /no stream/),
    ]);
    assert.deepEqual(await Promise.all(ids.map(there)), [Array(6).fill(false), Array(6).fill(true)]);
    assert.deepEqual(fake.commands(), [
      "stop stream-a:* autologin-a autoreload-a",
      "update stream-a autologin-a autoreload-a",
    ]);
    assert.deepEqual([fake.state("encoder-a"), fake.state("encoder-a-2")], [undefined, "RUNNING"]);
    assert.deepEqual([store.get("a"), tokens.get("a"), lifecycle.spec("a")], [
      undefined,
      undefined,
      undefined,
    ]);
    assert.ok(tokens.get("a-2"));
  },
);

withService(
  "recreate stops, clears the profile, provisions anew and starts; what else belongs to the stream stays",
  async ({ lifecycle, fake, paths, clock, store }) => {
    await lifecycle.create({ name: "A", url, autoReload: true });
    const profile = join(paths.profilesDir, "a");
    const kept = [thumbFile(paths.streamsDir, "a"), join(paths.logsDir, "a")];
    await writeThumbnail(paths.streamsDir, "a", { bytes: new Uint8Array(1), takenAt: 1 });
    const program = programFile({ ...paths, template: "", executable: [] }, "a");
    for (const folder of [profile, join(paths.profilesDir, "a-2")]) {
      await Deno.mkdir(join(folder, "Default"), { recursive: true });
      await Deno.writeTextFile(join(folder, "Default/Cookies"), "session");
    }
    await Deno.writeTextFile(program, "damaged");
    fake.commands();
    clock.now += 60_000;
    const before = store.get("a");
    await lifecycle.recreate("a");
    assert.deepEqual(fake.commands(), [
      "stop stream-a:* autologin-a autoreload-a",
      "update stream-a autologin-a autoreload-a",
      "start stream-a:* autoreload-a",
    ]);
    assert.deepEqual([fake.state("encoder-a"), lifecycle.startedAt("a")], ["RUNNING", 1_060_000]);
    assert.equal(await isThere(join(profile, "Default")), false);
    assert.equal(await Deno.readTextFile(program), "[program:a]\n");
    assert.deepEqual(await Promise.all(kept.map(isThere)), [true, true]);
    assert.ok(await isThere(join(paths.profilesDir, "a-2/Default/Cookies")), "the neighbour's");
    assert.deepEqual(store.get("a"), before);
  },
);

withService(
  "recreate clears a stopped stream too, and leaves it stopped",
  async ({ lifecycle, fake, paths, desired }) => {
    await lifecycle.create({ name: "A", url, desiredState: "stopped" });
    const profile = join(paths.profilesDir, "a");
    await Deno.mkdir(profile);
    await lifecycle.recreate("a");
    assert.deepEqual(fake.commands(), ["update stream-a autologin-a autoreload-a"]);
    assert.deepEqual([desired("a"), fake.state("encoder-a"), await isThere(profile)], [
      "stopped",
      "STOPPED",
      false,
    ]);
  },
);

withService(
  "a failing supervisor is told, the wish is kept, and the next try works",
  async ({ lifecycle, fake, desired }) => {
    await lifecycle.create({ name: "A", url, desiredState: "stopped" });
    fake.fail("no such file");
    await assert.rejects(lifecycle.start("a"), /no such file/);
    assert.deepEqual([desired("a"), lifecycle.isBusy("a")], ["running", false]);
    fake.fail(null);
    await lifecycle.start("a");
    assert.equal(fake.state("encoder-a"), "RUNNING");
  },
);

Deno.test("the web app's restart leaves what runs alone, and starts what is down", async () => {
  await using dir = await tempDir();
  const first = await aService(dir.path);
  for (const name of ["A", "B", "C"]) await first.lifecycle.create({ name, url });
  await first.lifecycle.stop("c");
  await first.fake.run(["supervisorctl", "-c", "x", "stop", "stream-b:*"], { timeout: 1 });
  first.fake.commands();
  const second = await aService(dir.path, first.fake);
  second.clock.now += 60_000;
  await second.lifecycle.restore();
  assert.deepEqual(first.fake.commands(), ["start stream-b:*"]);
  assert.equal(second.lifecycle.startedAt("a"), 1_000_000);
  assert.equal(second.lifecycle.startedAt("b"), 1_060_000);
  assert.equal(second.lifecycle.spec("a")?.display, first.lifecycle.spec("a")?.display);
  assert.equal(second.desired("c"), "stopped");
});
