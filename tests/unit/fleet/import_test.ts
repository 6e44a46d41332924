/** What an import of streams does to their programs. */
import assert from "node:assert/strict";
import { readSpec } from "../../../lib/live/programs/commands/spec.ts";
import { streamId } from "../../../lib/model/id.ts";
import { memoryService, memoryTest } from "../../support/memory_service.ts";

const url = "https://example.org/";
const records = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `s${at}`, name: `S ${at}`, url }));

memoryTest(
  "imported streams are stored at once and follow",
  async ({ service, machine: { supervisord } }) => {
    const { streams, fleet, tokens } = service;
    const release = supervisord.block();
    const { added } = await streams.import([...records(2), { id: "off", url, desiredState: "stopped" }]);
    assert.deepEqual(added.map(({ id }) => id), ["s0", "s1", "off"]);
    assert.deepEqual(fleet.list().map(({ id }) => id), ["s0", "s1", "off"]);
    for (const { id } of added) assert.match(tokens.get(id)!, /^[0-9a-f]{32}$/);
    const states = () => ["s0", "s1", "off"].map((id) => supervisord.state(`encoder-${id}`));
    assert.deepEqual(states(), [undefined, undefined, undefined]);
    release();
    await fleet.settled();
    assert.deepEqual(states(), ["RUNNING", "RUNNING", undefined]);
  },
);

memoryTest("an import that is refused changes nothing", async ({ service, machine: { supervisord } }) => {
  const { streams, fleet } = service;
  const bad = [...records(2), { id: "x", name: "X", url: "file:///etc/passwd" }];
  await assert.rejects(streams.import(bad), ({ fields }) => Object.keys(fields).join() === "3 (X): url");
  await fleet.settled();
  assert.deepEqual([fleet.list(), supervisord.commands()], [[], []]);
});

memoryTest("an import restarts, stops or starts only what changed", async (memory) => {
  const { service: { streams, fleet }, machine: { supervisord }, paths } = memory;
  for (const name of ["A", "B", "C", "D"]) await streams.create({ name, url });
  await streams.stopStream("d");
  supervisord.commands();
  const importing = async (list: unknown[]) => {
    await streams.import(list);
    await fleet.settled();
    return supervisord.commands().sort();
  };
  const commands = await importing([
    { id: "a", name: "A", url },
    { id: "b", name: "Bee", url, bitrate: "2M" },
    { id: "c", name: "C", url, desiredState: "stopped" },
    { id: "d", name: "D", url, desiredState: "running" },
  ]);
  assert.deepEqual(commands, [
    "restart stream-b:encoder-b",
    "start stream-d:*",
    "stop stream-c:browser-c stream-c:* autologin-c autoreload-c push-c",
  ]);
  assert.equal((await readSpec(paths.specsDir, streamId("b")))?.stream.name, "Bee");
  assert.deepEqual(await importing([{ id: "b", name: "Bee", url, bitrate: "2M" }]), []);
});

/** Hangs until so many commands of the supervisor are under way. */
async function underWay({ mostAtOnce }: { mostAtOnce(): number }, count: number): Promise<void> {
  while (mostAtOnce() < count) await new Promise((done) => setTimeout(done));
}

memoryTest("three start at a time, and a new stream waits for none of them", async (memory) => {
  const { service: { streams, fleet }, machine: { supervisord } } = memory;
  const release = supervisord.block();
  await streams.import(records(6));
  await underWay(supervisord, 3);
  const created = streams.create({ name: "Mine", url });
  await underWay(supervisord, 4);
  release();
  await created;
  await fleet.settled();
  assert.deepEqual([supervisord.mostAtOnce(), supervisord.state("encoder-s5")], [4, "RUNNING"]);
});

memoryTest("the end of the service is not kept waiting", async (memory) => {
  const { service: { streams, fleet }, machine: { supervisord } } = memory;
  const release = supervisord.block();
  await streams.import(records(6));
  await underWay(supervisord, 3);
  void fleet.stop();
  release();
  await fleet.stop();
  // side by side, so in any order
  const starts = supervisord.commands().filter((command) => command.startsWith("start")).sort();
  assert.deepEqual(starts, [0, 1, 2].map((at) => `start stream-s${at}:*`));
  assert.equal(fleet.get(streamId("s5")).stream!.desiredState, "running", "for the next start");
});

memoryTest("a change between import and its turn restarts what both changed", async (memory) => {
  const { service: { streams, fleet }, machine: { supervisord } } = memory;
  for (const name of ["X", "Y", "Z", "A"]) await streams.create({ name, url });
  supervisord.commands();
  const release = supervisord.block();
  const changed = ["x", "y", "z", "a"].map((id) => ({ id, name: id, url: "https://other.example/" }));
  await streams.import(changed); // x, y and z take the three positions
  const update = streams.update("a", { bitrate: "2M" }, true);
  release();
  await update;
  await fleet.settled();
  const restarts = supervisord.commands().filter((command) => /^restart.*-a/.test(command));
  assert.deepEqual(restarts, ["restart stream-a:browser-a stream-a:encoder-a"]);
});

memoryTest("a stream that is deleted before its turn stays deleted", async (memory) => {
  const { service: { streams, fleet }, machine: { supervisord } } = memory;
  const release = supervisord.block();
  await streams.import(records(4));
  const removed = streams.remove("s3");
  release();
  await removed;
  await fleet.settled();
  assert.equal(fleet.find(streamId("s3")), undefined);
  assert.equal(supervisord.commands().includes("start stream-s3:*"), false);
});

memoryTest("a stream that is being deleted is not imported", async (memory) => {
  const { service: { streams, fleet }, machine: { supervisord } } = memory;
  for (const name of ["A", "B", "C"]) await streams.create({ name, url });
  const release = supervisord.block();
  const removed = [streams.remove("a"), streams.remove("b")];
  const list = [{ id: "a", name: "A", url }, { id: "b", name: "B", url, fps: 5 }, { id: "d", url }];
  await assert.rejects(streams.import(list), { name: "ServiceError", status: 409, message: /"a", "b"/ });
  assert.equal((await streams.import([{ id: "c", name: "C", url, group: "Ops" }])).changed.length, 1);
  release();
  await Promise.all(removed);
  assert.deepEqual(fleet.list().map(({ id }) => id), ["c"]);
  assert.equal((await streams.import(list)).added.length, 3);
  await fleet.settled();
  assert.deepEqual(fleet.list().map(({ id }) => id), ["c", "a", "b", "d"]);
});

memoryTest(
  "what an import changed is applied after the web app's restart, if it did not come to it",
  async (first) => {
    const { streams, fleet } = first.service;
    for (const name of ["A", "B"]) await streams.create({ name, url });
    void fleet.stop();
    await streams.import([{ id: "a", name: "A", url, fps: 5 }, { id: "b", name: "B", url, group: "Ops" }]);
    await fleet.stop();
    await using second = await memoryService({ after: first });
    second.machine.supervisord.commands();
    await second.service.fleet.restore();
    const commands = second.machine.supervisord.commands();
    assert.deepEqual(commands, ["restart stream-a:browser-a stream-a:encoder-a"]);
    assert.equal(second.service.fleet.get(streamId("b")).spec?.stream.group, "Ops");
  },
);
