/** What a change of a stream does to its programs. */
import assert from "node:assert/strict";
import { readSpec } from "../../../lib/live/programs/commands/spec.ts";
import { streamId } from "../../../lib/model/id.ts";
import { publicStream } from "../../../lib/model/schema.ts";
import { logged } from "../../support/logged.ts";
import { memoryService, memoryTest } from "../../support/memory_service.ts";

const A = streamId("a");
const FIELDS = { name: "A", url: "https://example.org/" };
const STOP = "stop stream-a:browser-a stream-a:* autologin-a autoreload-a push-a";

/** What changes of a stream that was just created, and what the supervisor is told then. */
const UPDATES: [change: Record<string, unknown>, commands: string[], before?: Record<string, unknown>][] = [
  [{ name: "New" }, []],
  [{ bitrate: "2M" }, ["restart stream-a:encoder-a"]],
  [{ url: "https://other.example/" }, ["stop autologin-a", "restart stream-a:browser-a"]],
  [{ fps: 30 }, ["restart stream-a:browser-a stream-a:encoder-a"]],
  [{ resolution: "640x360" }, [
    "stop stream-a:browser-a",
    "restart stream-a:display-a stream-a:wm-a stream-a:browser-a stream-a:encoder-a",
  ]],
  [{ pass: "p" }, ["restart stream-a:browser-a autologin-a"]],
  [{ autoReload: true }, ["restart autoreload-a"]],
  [{ autoReload: false, user: "" }, ["restart stream-a:browser-a", "stop autologin-a autoreload-a"], {
    autoReload: true,
    user: "u",
  }],
  [{ desiredState: "stopped" }, [STOP]],
  [{ fps: 5 }, [], { desiredState: "stopped" }],
];

memoryTest("a change restarts, stops or starts only what it concerns", async (memory) => {
  const { service: { streams, fleet }, machine: { supervisord }, paths } = memory;
  for (const [change, commands, before] of UPDATES) {
    const what = JSON.stringify(change);
    await streams.create({ ...FIELDS, ...before });
    const startedAt = fleet.get(A).spec?.startedAt;
    supervisord.commands();
    const updated = await streams.update("a", change, true);
    const sort = (list: string[]) => before ? list.sort() : list;
    assert.deepEqual(sort(supervisord.commands()), commands, what);
    const { stream } = fleet.get(A);
    assert.deepEqual(publicStream(stream!), updated, what);
    const spec = await readSpec(paths.specsDir, A);
    if (stream!.desiredState === "stopped") assert.equal(spec, null, what);
    else assert.deepEqual([spec?.stream, spec?.startedAt], [stream, startedAt], what);
    await streams.remove("a");
  }
});

memoryTest(
  "a stopped stream's programs are not restarted; wanting it running starts them",
  async (memory) => {
    const { service: { streams, fleet }, machine: { supervisord } } = memory;
    await streams.create({ ...FIELDS, desiredState: "stopped" });
    await fleet.get(A).work.restartPrograms(["encoder"]);
    assert.deepEqual(supervisord.commands(), []);
    await streams.update("a", { desiredState: "running" }, true);
    assert.equal(supervisord.state("encoder-a"), "RUNNING");
  },
);

/** Without the service's log, which tells of the failures that a test makes. */
async function quietly<Result>(work: () => Promise<Result>): Promise<Result> {
  let result!: Result;
  await logged(async () => result = await work());
  return result;
}

memoryTest(
  "a change whose programs fail is saved, says why, and is applied at the next try",
  async (memory) => {
    const { service: { streams, fleet }, machine: { supervisord }, paths } = memory;
    await streams.create(FIELDS);
    const live = fleet.get(A);
    supervisord.fail("timed out");
    const saved = await quietly(() => streams.update("a", { bitrate: "2M" }, true));
    assert.deepEqual([saved.revision, publicStream(live.stream!)], [1, saved]);
    assert.match(live.work.problem!, /timed out/);
    // saving again what the answer said is no conflict, and tries again
    supervisord.fail(null);
    supervisord.commands();
    await streams.update("a", { bitrate: "2M", revision: saved.revision }, true);
    assert.deepEqual([supervisord.commands(), live.work.problem], [["restart stream-a:encoder-a"], null]);
    assert.deepEqual(publicStream((await readSpec(paths.specsDir, A))!.stream), saved);

    supervisord.fail("timed out");
    await quietly(() => streams.update("a", { autoReload: true, name: "B" }, true));
    supervisord.fail(null);
    supervisord.commands();
    await live.work.retry(); // as the rounds do
    assert.deepEqual([supervisord.commands(), live.work.problem], [["restart autoreload-a"], null]);
  },
);

memoryTest("a stop that fails is told, and done by the same change again", async (memory) => {
  const { service: { streams, fleet }, machine: { supervisord } } = memory;
  await streams.create(FIELDS);
  supervisord.fail("timed out");
  await assert.rejects(streams.update("a", { desiredState: "stopped" }, true), /timed out/);
  supervisord.fail(null);
  await streams.update("a", { desiredState: "stopped" }, true);
  assert.deepEqual([supervisord.state("encoder-a"), fleet.get(A).stream!.desiredState], [
    "STOPPED",
    "stopped",
  ]);
});

memoryTest(
  "a new stream that cannot be started is stored, says why, and starts at the next try",
  async (memory) => {
    const { service: { streams, fleet }, machine: { supervisord } } = memory;
    supervisord.fail("no such file");
    assert.equal((await quietly(() => streams.create(FIELDS))).id, "a");
    const { work } = fleet.get(A);
    assert.match(work.problem!, /no such file/);
    supervisord.fail(null);
    await work.retry();
    assert.deepEqual([work.problem, supervisord.state("encoder-a")], [null, "RUNNING"]);
  },
);

memoryTest("a stop that was cut off is done at the web app's restart", async (first) => {
  await first.service.streams.create(FIELDS);
  await first.service.fleet.stop();
  const stored = JSON.parse(await Deno.readTextFile(first.paths.streamsFile));
  stored[0].desiredState = "stopped";
  await Deno.writeTextFile(first.paths.streamsFile, JSON.stringify(stored));
  await using second = await memoryService({ after: first });
  await second.service.fleet.restore();
  assert.equal(second.machine.supervisord.state("encoder-a"), "STOPPED");
  assert.equal(second.service.fleet.get(A).spec, null);
});
