/** What is done with streams from their creation to their deletion, and over restarts of the web app. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { channelDir, seedSequence } from "../../../lib/channel/media/hls.ts";
import { ServiceError } from "../../../lib/errors.ts";
import { thumbnailFile, writeThumbnail } from "../../../lib/live/picture/files.ts";
import { readSpec, specFile } from "../../../lib/live/programs/commands/spec.ts";
import { programFile } from "../../../lib/machine/supervisor/program_files.ts";
import { NotBegunError } from "../../../lib/machine/tools/concurrency.ts";
import { type StreamId, streamId } from "../../../lib/model/id.ts";
import { type Paths, slotPaths, vncSocket } from "../../../lib/paths.ts";
import { aStream, isThere, namesIn } from "../../support/fixture.ts";
import { aFleet } from "../../support/ground.ts";
import { type MemoryService, memoryService, memoryTest } from "../../support/memory_service.ts";

const A = streamId("a");
const FIELDS = { name: "A", url: "https://example.org/" };
const STOPPED = { ...FIELDS, desiredState: "stopped" };
const STOP = "stop stream-a:browser-a stream-a:* autologin-a autoreload-a push-a";
const UPDATE = "update stream-a autologin-a autoreload-a push-a";

const create = ({ service }: MemoryService, ...names: string[]) =>
  Promise.all(names.map((name) => service.streams.create({ ...FIELDS, name })));
const stopByHand = ({ machine }: MemoryService, id: string) =>
  machine.run(["supervisorctl", "-c", "x", "stop", `stream-${id}:*`], { timeoutMs: 1 });

memoryTest("a new stream is stored, described and started", async (memory) => {
  const { service: { streams, fleet, tokens }, machine: { supervisord }, paths } = memory;
  const { id } = await streams.create({ ...FIELDS, user: "u", autoReload: true });
  assert.deepEqual([id, fleet.list().map((live) => live.id)], ["a", ["a"]]);
  assert.deepEqual(supervisord.commands(), [UPDATE, "start stream-a:* autologin-a autoreload-a"]);
  for (const kind of ["display", "wm", "browser", "encoder", "audio"]) {
    assert.equal(supervisord.state(`${kind}-a`), "RUNNING");
  }
  const { startedAt } = fleet.get(A).spec!;
  assert.equal((await readSpec(paths.specsDir, A))?.startedAt, startedAt);
  assert.match(tokens.get(A)!, /^[0-9a-f]{32}$/);
});

memoryTest("with desiredState stopped it is only stored", async (memory) => {
  const { service: { streams, fleet, tokens }, machine: { supervisord }, paths } = memory;
  await streams.create(STOPPED);
  assert.deepEqual([supervisord.commands(), fleet.get(A).spec, await namesIn(paths.specsDir)], [
    [],
    null,
    [],
  ]);
  assert.ok(tokens.get(A));
});

Deno.test("a stream that another machine runs is not started here; one that moves is stopped here, and wanted still", async () => {
  let isMine = false;
  const stream = aStream({ desiredState: "running" });
  await using world = await aFleet([stream], { placement: { isMine: () => isMine } });
  const { fleet, machine: { supervisord } } = world;
  const live = fleet.get(stream.id);
  await live.work.start();
  fleet.watched(stream.id);
  fleet.tick();
  await fleet.settled();
  assert.deepEqual([live.spec, supervisord.state("browser-clock")], [null, undefined]);
  isMine = true;
  await live.work.retry();
  assert.equal(supervisord.state("browser-clock"), "RUNNING");
  assert.ok(live.isOnAir && fleet.running().length === 1);
  await fleet.settled();
  isMine = false;
  fleet.tick();
  await fleet.settled();
  assert.deepEqual([live.spec, live.stream?.desiredState, fleet.running()], [null, "running", []]);
  assert.equal(world.events().at(-1), "clock stream info: Stopped here: it runs on another machine.");
});

memoryTest("what is refused changes nothing", async ({ service, machine: { supervisord } }) => {
  const { streams, fleet } = service;
  await assert.rejects(streams.create({ ...FIELDS, url: "file:///etc/passwd" }), ServiceError);
  const refused = [
    streams.startStream("none"),
    streams.restart("none"),
    streams.remove("none"),
    streams.update("none", { name: "B" }, true),
  ];
  const none = { status: 404, message: /There is no stream "none"/ };
  await Promise.all(refused.map((one) => assert.rejects(one, none)));
  assert.deepEqual([fleet.list(), supervisord.commands()], [[], []]);
});

memoryTest("ten streams of one name at once get ten ids and displays", async (memory) => {
  const { fleet } = memory.service;
  await create(memory, ...Array(10).fill("A"));
  assert.equal(new Set(fleet.list().map(({ id }) => id)).size, 10);
  assert.equal(new Set(fleet.list().map(({ spec }) => spec!.display)).size, 10);
});

memoryTest("a double start is one start", async ({ service: { streams, fleet }, machine }) => {
  await streams.create({ ...STOPPED, autoReload: true });
  const { work } = fleet.get(A);
  await Promise.all([work.start(), work.start()]);
  const { startedAt } = work.spec!;
  machine.advance(60_000);
  await work.start();
  const starts = machine.supervisord.commands().filter((command) => command.startsWith("start"));
  assert.deepEqual([starts, work.spec?.startedAt], [["start stream-a:* autoreload-a"], startedAt]);
});

memoryTest("a stop during a start waits for it and wins", async (memory) => {
  const { service: { streams, fleet }, machine: { supervisord }, paths } = memory;
  await streams.create(STOPPED);
  const { work } = fleet.get(A);
  const release = supervisord.block();
  const under = [work.start(), work.stop()];
  assert.equal(work.isBusy, true);
  release();
  await Promise.all(under);
  await fleet.settled();
  const { stream, spec } = fleet.get(A);
  assert.deepEqual([stream!.desiredState, supervisord.state("encoder-a"), work.isBusy], [
    ...["stopped", "STOPPED", false],
  ]);
  assert.deepEqual([spec, await namesIn(paths.specsDir), supervisord.mostAtOnce()], [null, [], 1]);
});

memoryTest("one stream's work never overlaps; the last wish holds", async (memory) => {
  const { service: { streams, fleet }, machine: { supervisord } } = memory;
  await create(memory, "A");
  const { work } = fleet.get(A);
  const update = (name: string) => streams.update("a", { name }, true);
  await Promise.all([
    ...[work.stop(), work.start(), update("B"), work.restart(), work.stop()],
    ...[work.restartPrograms(["encoder"]), work.start(), update("C")],
  ]);
  assert.equal(supervisord.mostAtOnce(), 1);
  assert.deepEqual([fleet.get(A).stream!.desiredState, supervisord.state("encoder-a")], [
    ...["running", "RUNNING"],
  ]);
});

memoryTest("different streams go side by side", async ({ service: { streams, fleet }, machine }) => {
  for (const name of ["A", "B"]) await streams.create({ ...STOPPED, name });
  const release = machine.supervisord.block();
  const under = fleet.list().map(({ work }) => work.start());
  // hangs if they wait for each other
  while (machine.supervisord.mostAtOnce() < 2) await new Promise((done) => setTimeout(done));
  release();
  await Promise.all(under);
});

memoryTest("a stop takes spec, HLS files and socket away", async (memory) => {
  const { service: { fleet }, machine: { supervisord }, paths } = memory;
  await create(memory, "A");
  seedSequence(paths.hlsDir, A);
  await Deno.writeTextFile(vncSocket(paths, A), "");
  const slot = slotPaths(paths, fleet.get(A).spec!.display).folder;
  const parts = [channelDir(paths.hlsDir, A), vncSocket(paths, A), slot, specFile(paths.specsDir, A)];
  const there = () => Promise.all([...parts, programFile(paths, A)].map(isThere));
  assert.deepEqual(await there(), [true, true, true, true, true]);
  supervisord.commands();
  await fleet.get(A).work.stop();
  assert.deepEqual(supervisord.commands(), [STOP]);
  assert.deepEqual(await there(), [false, false, false, false, true]);
});

/** A stream that has run for a while. @returns whether each of what it has on disk is there. */
async function haveRun(paths: Paths, id: StreamId): Promise<() => Promise<boolean[]>> {
  await Deno.mkdir(join(paths.profilesDir, id, "Default"), { recursive: true });
  await Deno.writeTextFile(join(paths.profilesDir, id, "Default/Cookies"), "session");
  await Deno.writeTextFile(join(paths.logsDir, id, "encoder.log"), "x");
  seedSequence(paths.hlsDir, id);
  await writeThumbnail(paths.streamsDir, id, { bytes: new Uint8Array(1), capturedAt: 1 });
  const files = [
    join(paths.profilesDir, id, "Default/Cookies"),
    join(paths.programsDir, `${id}.conf`),
    join(paths.profilesDir, id),
    join(paths.logsDir, id),
    channelDir(paths.hlsDir, id),
    specFile(paths.specsDir, id),
    thumbnailFile(paths.streamsDir, id),
  ];
  return () => Promise.all(files.map(isThere));
}

const ALL = Array(7).fill(true);

memoryTest("a deleted stream leaves nothing, and its neighbour everything", async (memory) => {
  const { service: { streams, fleet, tokens }, machine: { supervisord }, paths } = memory;
  await create(memory, "A", "A");
  const other = streamId("a-2");
  const own = await haveRun(paths, A), others = await haveRun(paths, other);
  assert.deepEqual([await own(), await others()], [ALL, ALL]);
  supervisord.commands();
  await Promise.all([
    streams.remove("a"),
    assert.rejects(streams.update("a", { name: "B" }, true), /no stream/),
  ]);
  assert.deepEqual([await own(), await others()], [Array(7).fill(false), ALL]);
  assert.deepEqual(supervisord.commands(), [STOP, UPDATE]);
  assert.deepEqual([supervisord.state("encoder-a"), supervisord.state("encoder-a-2")], [
    undefined,
    "RUNNING",
  ]);
  assert.deepEqual([fleet.list().map(({ id }) => id), tokens.get(A)], [[other], undefined]);
  assert.ok(tokens.get(other));
});

memoryTest(
  "recreate stops, clears the profile, provisions again and starts; what else belongs to the stream stays",
  async (memory) => {
    const { service: { streams, fleet }, machine, paths } = memory;
    await streams.create({ ...FIELDS, autoReload: true });
    await create(memory, "A");
    const own = await haveRun(paths, A), others = await haveRun(paths, streamId("a-2"));
    const program = programFile(paths, A);
    await Deno.writeTextFile(program, "damaged");
    machine.supervisord.commands();
    machine.advance(60_000);
    const live = fleet.get(A);
    const { stream, spec: before } = live;
    await live.work.recreate();
    assert.deepEqual(machine.supervisord.commands(), [STOP, UPDATE, "start stream-a:* autoreload-a"]);
    assert.equal(machine.supervisord.state("encoder-a"), "RUNNING");
    assert.ok(live.spec!.startedAt - before!.startedAt >= 60_000);
    assert.deepEqual(await namesIn(join(paths.profilesDir, "a")), []);
    assert.equal((await Deno.readTextFile(program)).split("\n")[0], "[group:a]");
    assert.deepEqual([await own(), await others()], [[false, ...ALL.slice(1)], ALL]);
    assert.equal(live.stream, stream);
  },
);

memoryTest("recreate clears a stopped stream too, and leaves it stopped", async (memory) => {
  const { service: { streams, fleet }, machine: { supervisord }, paths } = memory;
  await streams.create(STOPPED);
  const profile = join(paths.profilesDir, "a");
  await Deno.mkdir(join(profile, "Default"), { recursive: true });
  const live = fleet.get(A);
  await live.work.recreate();
  assert.deepEqual(supervisord.commands(), [UPDATE]);
  assert.deepEqual([live.stream!.desiredState, supervisord.state("encoder-a"), await namesIn(profile)], [
    ...["stopped", "STOPPED", []],
  ]);
});

memoryTest("a failing supervisor is told, the wish is kept, and the next try works", async (memory) => {
  const { service: { streams, fleet }, machine: { supervisord } } = memory;
  await streams.create(STOPPED);
  const live = fleet.get(A);
  supervisord.fail("no such file");
  await assert.rejects(live.work.start(), /no such file/);
  assert.deepEqual([live.stream!.desiredState, live.isBusy], ["running", false]);
  supervisord.fail(null);
  await live.work.start();
  assert.equal(supervisord.state("encoder-a"), "RUNNING");
});

memoryTest("the web app's restart leaves what runs alone, and starts what is down", async (first) => {
  await create(first, "A", "B", "C");
  await first.service.streams.stopStream("c");
  await stopByHand(first, "b");
  await using second = await memoryService({ after: first });
  const { machine, service: { fleet } } = second;
  machine.supervisord.commands();
  machine.advance(60_000);
  await fleet.restore();
  assert.deepEqual(machine.supervisord.commands(), ["start stream-b:*"]);
  const [a, b, c] = fleet.list();
  const [before, down] = first.service.fleet.list();
  assert.deepEqual([a.spec?.startedAt, a.spec?.display], [before.spec?.startedAt, before.spec?.display]);
  assert.ok(b.spec!.startedAt - down.spec!.startedAt >= 60_000);
  assert.equal(c.stream!.desiredState, "stopped");
});

memoryTest(
  "a stream that starts while a restarted web app takes over the others gets a display of its own",
  async (first) => {
    await create(first, ...Array.from({ length: 12 }, (_, at) => `S ${at}`));
    const last = first.service.fleet.list().at(-1)!.id;
    await stopByHand(first, last);
    await Deno.remove(specFile(first.paths.specsDir, last));
    await using second = await memoryService({ after: first });
    const { fleet } = second.service;
    const restored = fleet.restore();
    await fleet.get(last).work.start();
    await restored;
    assert.equal(new Set(fleet.list().map(({ spec }) => spec?.display)).size, 12);
  },
);

memoryTest(
  "a stream whose description is broken, and one that does not start, keep no other down",
  async (first) => {
    const names = ["a", "b", "c", "d", "e", "f"];
    await create(first, ...names);
    await Deno.writeTextFile(specFile(first.paths.specsDir, streamId("b")), "{");
    for (const name of names) await stopByHand(first, name);
    const { supervisord } = first.machine;
    const { run } = supervisord;
    supervisord.run = (argv, options) =>
      argv.includes("start") && argv.includes("stream-c:*")
        ? Promise.resolve({ code: 1, stdout: "stream-c:display: ERROR (spawn error)", stderr: "" })
        : run(argv, options);
    await using second = await memoryService({ after: first });
    await second.service.fleet.restore();
    const down = names.filter((name) => supervisord.state(`encoder-${name}`) !== "RUNNING");
    assert.deepEqual(down, ["c"]);
  },
);

memoryTest("abandoned restarts are not done, and a stop waits for none of them", async (memory) => {
  const { service: { fleet }, machine: { supervisord } } = memory;
  await create(memory, "A");
  const { work } = fleet.get(A);
  supervisord.commands();
  const release = supervisord.block();
  const busy = work.restart();
  const client = new AbortController();
  const abandoned = Array.from({ length: 12 }, (_, at) => at % 2 ? work.restart(client) : work.start(client));
  const refused = abandoned.map((one) => assert.rejects(one, NotBegunError));
  client.abort();
  const stopped = work.stop();
  release();
  await Promise.all([busy, stopped, ...refused]);
  const starts = supervisord.commands().filter((command) => command.startsWith("start"));
  assert.equal(starts.length, 1, "started once");
});

memoryTest("restarts that wait are one; a flood is refused", async (memory) => {
  const { service: { fleet }, machine: { supervisord } } = memory;
  await create(memory, "A");
  const { work } = fleet.get(A);
  supervisord.commands();
  const release = supervisord.block();
  const under = [
    ...Array.from({ length: 13 }, () => work.restart()),
    ...Array.from({ length: 30 }, (_, at) => at % 2 ? work.restart() : work.recreate()),
  ].map((one) => one.then(() => "done", (error) => error.name));
  const stopped = work.stop();
  release();
  const results = await Promise.all(under);
  await stopped;
  assert.equal(fleet.get(A).stream!.desiredState, "stopped");
  assert.ok(results.slice(0, 13).every((result) => result === "done"));
  assert.ok(results.filter((result) => result === "NotBegunError").length >= 5, `${results}`);
  assert.ok(supervisord.commands().filter((command) => command.startsWith("start ")).length <= 21);
});

memoryTest(
  "a stream that runs only while watched goes on over a restart of the web app, and waits after one of the service",
  async (memory) => {
    const { service: { streams, fleet }, machine: { supervisord } } = memory;
    const states = (
      of: MemoryService,
    ) => [supervisord.state("encoder-a"), of.service.fleet.get(A).spec === null];
    const starts = () => supervisord.commands().filter((command) => command.startsWith("start"));
    await streams.create({ ...FIELDS, onDemand: true });
    const { work } = fleet.get(A);
    await work.restart();
    await work.recreate();
    assert.deepEqual(starts(), []);
    fleet.watched(A);
    await work.retry();
    assert.deepEqual(states(memory), ["RUNNING", false]);

    await using again = await memoryService({ after: memory });
    const next = again.service.fleet;
    await next.restore();
    assert.deepEqual(states(again), ["RUNNING", false]);
    await again.service.streams.update(A, { onDemandMinutes: 1 }, true);
    again.machine.advance(60_000);
    next.tick();
    await next.get(A).work.retry();
    assert.deepEqual(states(again), ["STOPPED", true]);

    next.watched(A);
    await next.get(A).work.retry();
    // the service's end takes the run directory with it
    await Deno.remove(specFile(memory.paths.specsDir, A));
    supervisord.setState("encoder-a", "STOPPED");
    supervisord.commands();
    await using after = await memoryService({ after: again });
    await after.service.fleet.restore();
    assert.deepEqual([starts(), after.service.fleet.get(A).work.isWanted], [[], false]);
    await after.service.streams.update(A, { onDemand: false }, true);
    assert.deepEqual(states(after), ["RUNNING", false]);
  },
);

memoryTest(
  "a person's restart is done also where a repair of a stream that was stopped waits",
  async (memory) => {
    const { service: { streams, fleet }, machine: { supervisord } } = memory;
    await streams.create(STOPPED);
    const { work } = fleet.get(A);
    await Promise.all([work.stop(), work.restartAll(), work.restart()]);
    assert.deepEqual([fleet.get(A).stream!.desiredState, supervisord.state("browser-a")], [
      ...["running", "RUNNING"],
    ]);
  },
);

memoryTest(
  "a stream that is added while those of before are brought back is started once",
  async (memory) => {
    const { service: { fleet }, machine: { supervisord } } = memory;
    await create(memory, "A");
    const restored = fleet.restore();
    await Promise.all([restored, create(memory, "B", "C")]);
    await fleet.settled();
    const starts = supervisord.commands().filter((command) => command.startsWith("start "));
    assert.deepEqual(starts.toSorted(), ["a", "b", "c"].map((id) => `start stream-${id}:*`));
  },
);

memoryTest("a stream that is removed while its slate is shown leaves none behind", async (memory) => {
  const { streams, fleet } = memory.service;
  await streams.create({ ...FIELDS, onDemand: true });
  fleet.watched(A);
  const { slate } = fleet.get(A).channel;
  assert.ok(await slate.playlist());
  await streams.remove("a");
  fleet.tick();
  assert.equal(await slate.playlist(), null);
  await streams.create({ ...FIELDS, onDemand: true });
  assert.equal(fleet.get(A).work.isWanted, false, "the next one waits for a viewer of its own");
});
