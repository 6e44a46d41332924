import { streamId } from "../../../lib/model/id.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { readSpec, specFile } from "../../../lib/live/programs/commands/spec.ts";
import { ServiceError } from "../../../lib/errors.ts";
import { slotPaths, vncSocket } from "../../../lib/paths.ts";
import { NotBegunError } from "../../../lib/machine/tools/concurrency.ts";
import { channelDir, seedSequence } from "../../../lib/channel/media/hls.ts";
import { thumbnailFile, writeThumbnail } from "../../../lib/live/picture/files.ts";
import { programFile } from "../../../lib/machine/supervisor/program_files.ts";
import { isThere, namesIn, tempDir } from "../../support/fixture.ts";
import { aService, url, withService } from "./service.ts";

withService(
  "a new stream is stored, described and started",
  async ({ streams, spec, fake, store, paths, tokens }) => {
    const { id } = await streams.create({ name: "A", url, user: "u", autoReload: true });
    assert.deepEqual(store.list().map((stream) => stream.id), ["a"]);
    assert.deepEqual(fake.commands(), [
      "update stream-a autologin-a autoreload-a push-a",
      "start stream-a:* autologin-a autoreload-a",
    ]);
    for (const kind of ["display", "wm", "browser", "encoder", "audio"]) {
      assert.equal(
        fake.state(`${kind}-${id}`),
        "RUNNING",
      );
    }
    assert.equal((await readSpec(paths.specsDir, streamId(id)))?.startedAt, 1_000_000);
    assert.equal(spec(id)?.startedAt, 1_000_000);
    assert.match(tokens.get(id)!, /^[0-9a-f]{32}$/);
  },
);

withService(
  "with desiredState stopped it is only stored",
  async ({ streams, spec, fake, paths, tokens }) => {
    await streams.create({ name: "A", url, desiredState: "stopped" });
    assert.deepEqual([fake.commands(), spec(streamId("a")), await namesIn(paths.specsDir)], [
      [],
      undefined,
      [],
    ]);
    assert.ok(tokens.get(streamId("a")));
  },
);

withService(
  "a stream that another machine runs is not started here; one that moves is stopped here, and wanted still",
  async ({ streams, work, spec, fake, elsewhere, desired, events, fleet }) => {
    elsewhere.add("a");
    const { id } = await streams.create({ name: "A", url });
    await work(id).start();
    fleet.watched(streamId(id));
    fleet.tick();
    await fleet.settled();
    assert.deepEqual([spec(id), fake.state("browser-a")], [undefined, undefined]);
    elsewhere.clear();
    await work(id).retry();
    assert.equal(fake.state("browser-a"), "RUNNING");
    assert.ok(fleet.get(streamId(id)).isOnAir && fleet.running().length === 1);
    elsewhere.add("a");
    await work(id).retry();
    assert.deepEqual([spec(id), desired(id), fleet.running()], [undefined, "running", []]);
    assert.equal(events.list(streamId(id)).at(-1)!.text, "Stopped here: it runs on another machine.");
  },
);

withService("what is refused changes nothing", async ({ streams, fake, store }) => {
  await assert.rejects(streams.create({ name: "A", url: "file:///etc/passwd" }), ServiceError);
  assert.deepEqual([store.list(), fake.commands()], [[], []]);
  await assert.rejects(streams.startStream("none"), { status: 404 });
  await assert.rejects(streams.restart("none"), { status: 404 });
  await assert.rejects(streams.remove("none"), { status: 404 });
  await assert.rejects(streams.update("none", { name: "B" }, true), /There is no stream "none"/);
  assert.deepEqual([store.list(), fake.commands()], [[], []]);
});

withService(
  "ten streams of one name at once get ten ids and displays",
  async ({ streams, spec, store }) => {
    await Promise.all(Array.from({ length: 10 }, () => streams.create({ name: "A", url })));
    assert.equal(new Set(store.list().map(({ id }) => id)).size, 10);
    const specs = store.list().map(({ id }) => spec(id)!);
    assert.equal(new Set(specs.map(({ display }) => display)).size, 10);
  },
);

withService("a double start is one start", async ({ streams, work, spec, fake, clock }) => {
  await streams.create({ name: "A", url, autoReload: true, desiredState: "stopped" });
  await Promise.all([work(streamId("a")).start(), work(streamId("a")).start()]);
  clock.now += 60_000;
  await work(streamId("a")).start();
  assert.deepEqual(fake.commands().filter((command) => command.startsWith("start")), [
    "start stream-a:* autoreload-a",
  ]);
  assert.equal(spec(streamId("a"))?.startedAt, 1_000_000);
});

withService(
  "a stop during a start waits for it and wins",
  async ({ streams, work, spec, fleet, fake, desired, paths }) => {
    await streams.create({ name: "A", url, desiredState: "stopped" });
    const release = fake.block();
    const under = [work(streamId("a")).start(), work(streamId("a")).stop()];
    assert.equal(work(streamId("a")).isBusy, true);
    release();
    await Promise.all(under);
    await fleet.settled();
    assert.deepEqual([desired("a"), fake.state("encoder-a"), work(streamId("a")).isBusy], [
      "stopped",
      "STOPPED",
      false,
    ]);
    assert.deepEqual([spec(streamId("a")), await namesIn(paths.specsDir)], [undefined, []]);
    assert.equal(fake.mostAtOnce(), 1);
  },
);

withService(
  "one stream's work never overlaps; the last wish holds",
  async ({ streams, work, fake, desired }) => {
    await streams.create({ name: "A", url });
    const update = (name: string) => streams.update("a", { name }, true);
    await Promise.all([
      ...[
        work(streamId("a")).stop(),
        work(streamId("a")).start(),
        update("B"),
        work(streamId("a")).restart(),
        work(streamId("a")).stop(),
      ],
      ...[
        work(streamId("a")).restartPrograms(["encoder"]),
        work(streamId("a")).start(),
        update("C"),
      ],
    ]);
    assert.equal(fake.mostAtOnce(), 1);
    assert.deepEqual([desired("a"), fake.state("encoder-a")], ["running", "RUNNING"]);
  },
);

withService("different streams go side by side", async ({ streams, work, fake }) => {
  for (const name of ["A", "B"]) await streams.create({ name, url, desiredState: "stopped" });
  const release = fake.block();
  const under = [work(streamId("a")).start(), work(streamId("b")).start()];
  while (fake.mostAtOnce() < 2) await new Promise((done) => setTimeout(done)); // hangs if they wait for each other
  release();
  await Promise.all(under);
});

withService("a stop takes spec, HLS files and socket away", async ({ streams, work, spec, fake, paths }) => {
  await streams.create({ name: "A", url });
  seedSequence(paths.hlsDir, streamId("a"));
  await Deno.writeTextFile(vncSocket(paths, streamId("a")), "");
  const slot = slotPaths(paths, spec(streamId("a"))!.display).folder;
  assert.ok(await isThere(slot));
  fake.commands();
  await work(streamId("a")).stop();
  assert.deepEqual(fake.commands(), ["stop stream-a:browser-a stream-a:* autologin-a autoreload-a push-a"]);
  for (
    const path of [
      channelDir(paths.hlsDir, streamId("a")),
      vncSocket(paths, streamId("a")),
      slot,
      specFile(paths.specsDir, streamId("a")),
    ]
  ) {
    assert.equal(await isThere(path), false, path);
  }
  assert.equal(await isThere(programFile(paths, streamId("a"))), true);
});

withService(
  "a deleted stream leaves nothing, and its neighbour everything",
  async ({ streams, spec, fake, paths, store, tokens }) => {
    const files = (id: string) => [
      join(paths.programsDir, `${id}.conf`),
      join(paths.profilesDir, id),
      join(paths.logsDir, id),
      channelDir(paths.hlsDir, streamId(id)),
      specFile(paths.specsDir, streamId(id)),
      thumbnailFile(paths.streamsDir, streamId(id)),
    ];
    const ids = ["a", "a-2"];
    for (const id of ids) {
      await streams.create({ name: "A", url });
      await Deno.mkdir(join(paths.profilesDir, id, "Default"), { recursive: true });
      await Deno.writeTextFile(join(paths.logsDir, id, "encoder.log"), "x");
      seedSequence(paths.hlsDir, streamId(id));
      await writeThumbnail(paths.streamsDir, streamId(id), { bytes: new Uint8Array(1), capturedAt: 1 });
    }
    const there = (id: string) => Promise.all(files(id).map(isThere));
    assert.deepEqual(await Promise.all(ids.map(there)), [Array(6).fill(true), Array(6).fill(true)]);
    fake.commands();
    await Promise.all([
      streams.remove("a"),
      assert.rejects(streams.update("a", { name: "B" }, true), /no stream/),
    ]);
    assert.deepEqual(await Promise.all(ids.map(there)), [Array(6).fill(false), Array(6).fill(true)]);
    assert.deepEqual(fake.commands(), [
      "stop stream-a:browser-a stream-a:* autologin-a autoreload-a push-a",
      "update stream-a autologin-a autoreload-a push-a",
    ]);
    assert.deepEqual([fake.state("encoder-a"), fake.state("encoder-a-2")], [undefined, "RUNNING"]);
    assert.deepEqual([store.get(streamId("a")), tokens.get(streamId("a")), spec(streamId("a"))], [
      undefined,
      undefined,
      undefined,
    ]);
    assert.ok(tokens.get(streamId("a-2")));
  },
);

withService(
  "recreate stops, clears the profile, provisions again and starts; what else belongs to the stream stays",
  async ({ streams, work, spec, fake, paths, clock, store }) => {
    await streams.create({ name: "A", url, autoReload: true });
    const profile = join(paths.profilesDir, "a");
    const kept = [thumbnailFile(paths.streamsDir, streamId("a")), join(paths.logsDir, "a")];
    await writeThumbnail(paths.streamsDir, streamId("a"), { bytes: new Uint8Array(1), capturedAt: 1 });
    const program = programFile(paths, streamId("a"));
    for (const folder of [profile, join(paths.profilesDir, "a-2")]) {
      await Deno.mkdir(join(folder, "Default"), { recursive: true });
      await Deno.writeTextFile(join(folder, "Default/Cookies"), "session");
    }
    await Deno.writeTextFile(program, "damaged");
    fake.commands();
    clock.now += 60_000;
    const before = store.get(streamId("a"));
    await work(streamId("a")).recreate();
    assert.deepEqual(fake.commands(), [
      "stop stream-a:browser-a stream-a:* autologin-a autoreload-a push-a",
      "update stream-a autologin-a autoreload-a push-a",
      "start stream-a:* autoreload-a",
    ]);
    assert.deepEqual([fake.state("encoder-a"), spec(streamId("a"))?.startedAt], [
      "RUNNING",
      1_060_000,
    ]);
    assert.deepEqual(await namesIn(profile), []);
    assert.equal((await Deno.readTextFile(program)).split("\n")[0], "[group:a]");
    assert.deepEqual(await Promise.all(kept.map(isThere)), [true, true]);
    assert.ok(await isThere(join(paths.profilesDir, "a-2/Default/Cookies")), "the neighbour's");
    assert.deepEqual(store.get(streamId("a")), before);
  },
);

withService(
  "recreate clears a stopped stream too, and leaves it stopped",
  async ({ streams, work, fake, paths, desired }) => {
    await streams.create({ name: "A", url, desiredState: "stopped" });
    const profile = join(paths.profilesDir, "a");
    await Deno.mkdir(join(profile, "Default"), { recursive: true });
    await work(streamId("a")).recreate();
    assert.deepEqual(fake.commands(), ["update stream-a autologin-a autoreload-a push-a"]);
    assert.deepEqual([desired("a"), fake.state("encoder-a"), await namesIn(profile)], [
      "stopped",
      "STOPPED",
      [],
    ]);
  },
);

withService(
  "a failing supervisor is told, the wish is kept, and the next try works",
  async ({ streams, work, fake, desired }) => {
    await streams.create({ name: "A", url, desiredState: "stopped" });
    fake.fail("no such file");
    await assert.rejects(work(streamId("a")).start(), /no such file/);
    assert.deepEqual([desired("a"), work(streamId("a")).isBusy], ["running", false]);
    fake.fail(null);
    await work(streamId("a")).start();
    assert.equal(fake.state("encoder-a"), "RUNNING");
  },
);

Deno.test("the web app's restart leaves what runs alone, and starts what is down", async () => {
  await using dir = await tempDir();
  const first = await aService(dir.path);
  for (const name of ["A", "B", "C"]) await first.streams.create({ name, url });
  await first.work(streamId("c")).stop();
  await first.fake.run(["supervisorctl", "-c", "x", "stop", "stream-b:*"], { timeoutMs: 1 });
  first.fake.commands();
  const second = await aService(dir.path, first.fake);
  second.clock.now += 60_000;
  await second.fleet.restore();
  assert.deepEqual(first.fake.commands(), ["start stream-b:*"]);
  assert.equal(second.spec(streamId("a"))?.startedAt, 1_000_000);
  assert.equal(second.spec(streamId("b"))?.startedAt, 1_060_000);
  assert.equal(second.spec(streamId("a"))?.display, first.spec(streamId("a"))?.display);
  assert.equal(second.desired("c"), "stopped");
});

Deno.test("a stream that starts while a restarted web app takes over the others gets a display of its own", async () => {
  await using dir = await tempDir();
  const first = await aService(dir.path);
  const names = Array.from({ length: 12 }, (_, at) => `S ${at}`);
  for (const name of names) await first.streams.create({ name, url });
  const last = first.store.list().at(-1)!.id;
  await first.fake.run(["supervisorctl", "-c", "x", "stop", `stream-${last}:*`], { timeoutMs: 1 });
  await Deno.remove(specFile(first.paths.specsDir, last));
  const second = await aService(dir.path, first.fake);
  const restored = second.fleet.restore();
  await second.work(last).start();
  await restored;
  const displays = second.store.list().map(({ id }) => second.spec(id)?.display);
  assert.equal(new Set(displays).size, names.length);
});

Deno.test("a stream whose description is broken, and one that does not start, keep no other down", async () => {
  await using dir = await tempDir();
  const first = await aService(dir.path);
  const names = ["A", "B", "C", "D", "E", "F"];
  for (const name of names) await first.streams.create({ name, url });
  await Deno.writeTextFile(specFile(first.paths.specsDir, streamId("b")), "{");
  for (const name of ["a", "b", "c", "d", "e", "f"]) {
    await first.fake.run(["supervisorctl", "-c", "x", "stop", `stream-${name}:*`], { timeoutMs: 1 });
  }
  const { run } = first.fake;
  const fake: typeof first.fake = {
    ...first.fake,
    run: (argv, options) =>
      argv.includes("start") && argv.includes("stream-c:*")
        ? Promise.resolve({ code: 1, stdout: "stream-c:display: ERROR (spawn error)", stderr: "" })
        : run(argv, options),
  };
  const second = await aService(dir.path, fake);
  await second.fleet.restore();
  assert.deepEqual(names.map((name) => fake.state(`encoder-${name.toLowerCase()}`)), [
    "RUNNING",
    "RUNNING",
    "STOPPED",
    "RUNNING",
    "RUNNING",
    "RUNNING",
  ]);
});

withService(
  "abandoned restarts are not done, and a stop waits for none of them",
  async ({ streams, fake, work }) => {
    const { id } = await streams.create({ name: "A", url });
    fake.commands();
    const release = fake.block();
    const busy = work(id).restart();
    const client = new AbortController();
    const abandoned = Array.from(
      { length: 12 },
      (_, at) => at % 2 ? work(id).restart(client) : work(id).start(client),
    );
    const refused = abandoned.map((one) => assert.rejects(one, NotBegunError));
    client.abort();
    const stopped = work(id).stop();
    release();
    await Promise.all([busy, stopped, ...refused]);
    const [, again, ...rest] = fake.commands().filter((command) => command.startsWith("start"));
    assert.deepEqual([again, rest], [undefined, []], "started once");
  },
);

withService("restarts that wait are one; a flood is refused", async (service) => {
  const { streams, fake, work, desired } = service;
  const { id } = await streams.create({ name: "A", url });
  fake.commands();
  const release = fake.block();
  const under = [
    ...Array.from({ length: 13 }, () => work(id).restart()),
    ...Array.from({ length: 30 }, (_, at) => at % 2 ? work(id).restart() : work(id).recreate()),
  ].map((one) => one.then(() => "done", (error) => error.name));
  const stopped = work(id).stop();
  release();
  const results = await Promise.all(under);
  await stopped;
  assert.equal(desired("a"), "stopped");
  assert.ok(results.slice(0, 13).every((result) => result === "done"));
  assert.ok(results.filter((result) => result === "NotBegunError").length >= 5, `${results}`);
  assert.ok(fake.commands().filter((command) => command.startsWith("start ")).length <= 21);
});

withService(
  "a stream that runs only while watched goes on over a restart of the web app, and waits after one of the service",
  async ({ streams, fleet, work, fake, paths }, dir) => {
    const id = streamId("a");
    await streams.create({ name: "A", url, onDemand: true });
    await work(id).restart();
    await work(id).recreate();
    assert.deepEqual(fake.commands().filter((command) => command.startsWith("start")), []);
    fleet.watched(id);
    await work(id).retry();
    assert.equal(fake.state("encoder-a"), "RUNNING");

    const again = await aService(dir, fake);
    await again.fleet.restore();
    assert.equal(fake.state("encoder-a"), "RUNNING");
    await again.streams.update(id, { onDemandMinutes: 1 }, true);
    again.clock.now += 60_000;
    again.fleet.tick();
    await again.work(id).retry();
    assert.deepEqual([fake.state("encoder-a"), again.spec(id)], ["STOPPED", undefined]);

    again.fleet.watched(id);
    await again.work(id).retry();
    // the service's end takes the run directory with it
    await Deno.remove(specFile(paths.specsDir, id));
    fake.setState("encoder-a", "STOPPED");
    fake.commands();
    const after = await aService(dir, fake);
    await after.fleet.restore();
    assert.deepEqual(fake.commands().filter((command) => command.startsWith("start")), []);
    assert.equal(after.fleet.get(id).work.isWanted, false);
    await after.streams.update(id, { onDemand: false }, true);
    assert.equal(fake.state("encoder-a"), "RUNNING");
  },
);

withService(
  "a person's restart is done also where a repair of a stream that was stopped waits",
  async (service) => {
    const { id } = await service.streams.create({ name: "A", url, desiredState: "stopped" });
    const known = streamId(id);
    const { work } = service;
    await Promise.all([
      work(known).stop(),
      work(known).restartAll(),
      work(known).restart(),
    ]);
    assert.deepEqual([service.desired(id), service.fake.state("browser-a")], ["running", "RUNNING"]);
  },
);

withService(
  "a stream that is added while those of before are brought back is started once",
  async (service) => {
    await service.streams.create({ name: "A", url });
    const restored = service.fleet.restore();
    await Promise.all([
      restored,
      service.streams.create({ name: "B", url }),
      service.streams.create({ name: "C", url }),
    ]);
    await service.fleet.settled();
    const starts = service.fake.commands().filter((command) => command.startsWith("start "));
    assert.deepEqual(starts.toSorted(), ["a", "b", "c"].map((id) => `start stream-${id}:*`));
  },
);

withService("a stream that is removed while its slate is shown leaves none behind", async (service) => {
  const { streams, fleet } = service;
  await streams.create({ name: "A", url, onDemand: true });
  fleet.watched(streamId("a"));
  const { slate } = fleet.get(streamId("a")).channel;
  assert.ok(await slate.playlist());
  await streams.remove("a");
  fleet.tick();
  assert.equal(await slate.playlist(), null);
  await streams.create({ name: "A", url, onDemand: true });
  assert.equal(fleet.get(streamId("a")).work.isWanted, false, "the next one waits for a viewer of its own");
});
