import { streamId } from "../../../lib/model/id.ts";
import assert from "node:assert/strict";
import { readSpec } from "../../../lib/live/programs/commands/spec.ts";
import { ServiceError } from "../../../lib/errors.ts";
import { tempDir } from "../../support/fixture.ts";
import { aService, url, withService } from "./service.ts";

const records = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `s${at}`, name: `S ${at}`, url }));

withService(
  "imported streams are stored at once and follow",
  async ({ streams, settled, fake, store, tokens }) => {
    const release = fake.block();
    const { added } = await streams.import([...records(2), { id: "off", url, desiredState: "stopped" }]);
    assert.deepEqual(added.map(({ id }) => id), ["s0", "s1", "off"]);
    assert.deepEqual(store.list().map(({ id }) => id), ["s0", "s1", "off"]);
    for (const { id } of added) assert.match(tokens.get(id)!, /^[0-9a-f]{32}$/);
    assert.equal(fake.state("encoder-s0"), undefined);
    release();
    await settled();
    assert.deepEqual(["s0", "s1", "off"].map((id) => fake.state(`encoder-${id}`)), [
      "RUNNING",
      "RUNNING",
      undefined,
    ]);
  },
);

withService("what is refused changes nothing", async ({ streams, settled, fake, store }) => {
  const bad = [...records(2), { id: "x", name: "X", url: "file:///etc/passwd" }];
  await assert.rejects(streams.import(bad), (error) => {
    assert.ok(error instanceof ServiceError);
    assert.deepEqual(Object.keys(error.fields!), ["3 (X): url"]);
    return true;
  });
  await settled();
  assert.deepEqual([store.list(), fake.commands()], [[], []]);
});

withService(
  "only what changed restarts, stops or starts",
  async ({ streams, work, settled, fake, paths }) => {
    for (const name of ["A", "B", "C", "D"]) await streams.create({ name, url });
    await work(streamId("d")).stop();
    fake.commands();
    await streams.import([
      { id: "a", name: "A", url },
      { id: "b", name: "Bee", url, bitrate: "2M" },
      { id: "c", name: "C", url, desiredState: "stopped" },
      { id: "d", name: "D", url, desiredState: "running" },
    ]);
    await settled();
    assert.deepEqual(fake.commands().sort(), [
      "restart stream-b:encoder-b",
      "start stream-d:*",
      "stop stream-c:browser-c stream-c:* autologin-c autoreload-c push-c",
    ]);
    assert.equal((await readSpec(paths.specsDir, streamId("b")))?.stream.name, "Bee");
    fake.commands();
    await streams.import([{ id: "b", name: "Bee", url, bitrate: "2M" }]);
    await settled();
    assert.deepEqual(fake.commands(), []);
  },
);

withService(
  "three start at a time, and a new stream waits for none of them",
  async ({ streams, settled, fake }) => {
    const release = fake.block();
    await streams.import(records(6));
    while (fake.mostAtOnce() < 3) await new Promise((done) => setTimeout(done));
    const created = streams.create({ name: "Mine", url });
    while (fake.mostAtOnce() < 4) await new Promise((done) => setTimeout(done)); // hangs if it waits for its turn
    release();
    await created;
    await settled();
    assert.equal(fake.mostAtOnce(), 4);
    assert.equal(fake.state("encoder-s5"), "RUNNING");
  },
);

withService("the end of the service is not kept waiting", async ({ streams, fleet, fake, desired }) => {
  const release = fake.block();
  await streams.import(records(6));
  while (fake.mostAtOnce() < 3) await new Promise((done) => setTimeout(done));
  fleet.stop();
  release();
  await fleet.stop();
  // side by side, so in any order
  assert.deepEqual(fake.commands().filter((command) => command.startsWith("start")).sort(), [
    "start stream-s0:*",
    "start stream-s1:*",
    "start stream-s2:*",
  ]);
  assert.equal(desired("s5"), "running"); // for the next start
});

withService(
  "a change between import and its turn restarts what both changed",
  async ({ streams, settled, fake, clock }) => {
    for (const name of ["X", "Y", "Z", "A"]) await streams.create({ name, url });
    fake.commands();
    clock.now += 60_000;
    const release = fake.block();
    const changed = ["x", "y", "z", "a"].map((id) => ({ id, name: id, url: "https://other.example/" }));
    await streams.import(changed); // x, y and z take the three positions
    const update = streams.update("a", { bitrate: "2M" }, true);
    release();
    await update;
    await settled();
    const restarts = fake.commands().filter((command) =>
      command.includes("-a") && command.startsWith("restart")
    );
    assert.deepEqual(restarts, ["restart stream-a:browser-a stream-a:encoder-a"]);
  },
);

withService(
  "a stream that is deleted before its turn stays deleted",
  async ({ streams, settled, fake, store }) => {
    const release = fake.block();
    await streams.import(records(4));
    const removed = streams.remove("s3");
    release();
    await removed;
    await settled();
    assert.equal(store.get(streamId("s3")), undefined);
    assert.equal(fake.commands().includes("start stream-s3:*"), false);
  },
);

withService(
  "a stream that is being deleted is not imported",
  async ({ streams, settled, fake, store }) => {
    for (const name of ["A", "B", "C"]) await streams.create({ name, url });
    const release = fake.block();
    const removed = [streams.remove("a"), streams.remove("b")];
    const list = [{ id: "a", name: "A", url }, { id: "b", name: "B", url, fps: 5 }, { id: "d", url }];
    await assert.rejects(streams.import(list), (error) => {
      assert.ok(error instanceof ServiceError && error.status === 409);
      assert.match(error.message, /"a", "b"/);
      return true;
    });
    assert.equal((await streams.import([{ id: "c", name: "C", url, group: "Ops" }])).changed.length, 1);
    release();
    await Promise.all(removed);
    assert.deepEqual(store.list().map(({ id }) => id), ["c"]);
    assert.equal((await streams.import(list)).added.length, 3);
    await settled();
    assert.deepEqual(store.list().map(({ id }) => id), ["c", "a", "b", "d"]);
  },
);

Deno.test("what an import changed is applied after the web app's restart, if it did not come to it", async () => {
  await using dir = await tempDir();
  const first = await aService(dir.path);
  for (const name of ["A", "B"]) await first.streams.create({ name, url });
  first.fleet.stop();
  await first.streams.import([{ id: "a", name: "A", url, fps: 5 }, {
    id: "b",
    name: "B",
    url,
    group: "Ops",
  }]);
  await first.fleet.stop();
  first.fake.commands();
  const second = await aService(dir.path, first.fake);
  await second.fleet.restore();
  assert.deepEqual(first.fake.commands(), ["restart stream-a:browser-a stream-a:encoder-a"]);
  assert.equal(second.spec(streamId("b"))?.stream.group, "Ops");
});
